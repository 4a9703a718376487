import { ActionError } from "../../../diagnostics/errors.js";
import { parseLiteral } from "../../../expressions/parse/parse-literal.js";
import { distinctMeta } from "../../../generation/indexes.js";
import { readValue } from "../../../generation/read-value.js";
import { cleanCompletion } from "./completion.js";
import { oneLine } from "../../../llm/prompts/interaction-history.js";
import { type Colang2Step, runColang2Task } from "./services.js";

const TASK = "generate_value_from_instruction";
const TEMPERATURE = 0.1;
const MAX_HITS = 5;

/** Words by which an instruction requests something other than a text. */
const TYPED =
  /\b(?:integer|float|boolean|dictionary|dict|json|True|False|true or false)\b|\b(?:as|is|return|write) an? (?:whole )?(?:number|int|list|array|set|tuple)\b|\b(?:an?|python|json) (?:list|array|set|tuple) of\b/i;

/**
 * Generates a value from instructions: the literal in the completion. A single line without a literal is the value
 * itself, unless the instructions request a type other than text.
 *
 * @param name - of the variable, without the dollar sign
 * @throws ActionError if the completion has no such value, ModelError if the model call fails
 */
export async function generateValue(instructions: string, name: string, step: Colang2Step): Promise<unknown> {
  const hits = await step.indexes.of(step.access).flows.search(`$${name} = ..."${instructions}"`, MAX_HITS);
  const shown = distinctMeta(hits, "flow", MAX_HITS).filter((flow) => flow.includes("= ..."));
  const examples = shown.toReversed().join("\n\n");
  const variables = { examples, instructions: oneLine(instructions), var_name: name };
  const completion = await runColang2Task(step, TASK, variables, TEMPERATURE);
  const text = cleanCompletion(completion.text).trim();
  const value = literalOverLines(text) ?? readValue(text, name);
  // A text not written as a literal has no other type.
  if (!TYPED.test(instructions) || typeof value !== "string" || isWrittenText(text, name)) return value;
  const message = `the completion for \`$${name}\` is not of the requested type`;
  throw new ActionError(message, { action: "GenerateValueAction" });
}

/** A quoted text over several lines, which is not a valid literal as written. */
function literalOverLines(text: string): string | undefined {
  if (!text.includes("\n") || !/^"(?!"")[^"]*"$/s.test(text)) return undefined;
  const joined = parseLiteral(text.replaceAll("\n", "\\n"));
  return joined.ok && typeof joined.value === "string" ? joined.value : undefined;
}

/** Returns true if the completion writes the text as a literal. */
function isWrittenText(text: string, name: string): boolean {
  const rest = text.startsWith(`$${name}`) ? text.slice(name.length + 1).replace(/^\s*=\s*/, "") : text;
  return /^\s*["']/.test(rest);
}
