import { ActionError } from "../diagnostics/errors.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { parseLiteral } from "../expressions/parse-literal.js";
import { modelForTask } from "../llm/model.js";
import { firstLine } from "../llm/output-parsers/completion-text.js";
import { flowExamples } from "./examples.js";
import { requireModel } from "./require-model.js";
import type { StepServices } from "./services.js";

const TASK = "generate_value";
const MAX_HITS = 10;
const MAX_EXAMPLES = 5;

export interface ValueInput {
  /** Without the dollar sign. */
  readonly variable: string;
  readonly instructions: string | undefined;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * A value for `$name = ...` (spec rails 2.16): the literal in the completion, or its text when it is one line that is
 * no literal.
 *
 * @throws ActionError when the completion is empty or has several lines without a literal, ModelError when the call fails
 */
export async function generateValue(input: ValueInput, services: StepServices): Promise<unknown> {
  const hits = await services.indexes.flows.search(`$${input.variable} = `, MAX_HITS);
  const shown = hits.filter(({ item }) => !(item.meta["flow"] ?? "").includes("= ..."));
  const { text } = await services.tasks.run({
    task: TASK,
    model: requireModel(modelForTask(services.models, TASK), TASK),
    events: input.events,
    context: input.context,
    variables: {
      ...flowExamples(shown, MAX_EXAMPLES),
      instructions: input.instructions ?? "",
      var_name: input.variable,
    },
    parameters: { temperature: services.settings.lowest_temperature },
    scope: services.scope,
  });
  return readValue(text, input.variable);
}

/**
 * The value in a completion. A repeated `$name =` and a `;` at the end do not belong to it.
 *
 * @example
 * ```ts
 * readValue("3;", "count"); // 3
 * readValue("next Tuesday", "day"); // "next Tuesday"
 * ```
 */
export function readValue(completion: string, variable: string): unknown {
  const whole = withoutTarget(completion.trim(), variable);
  const line = withoutSemicolon(firstLine(whole) ?? "");
  if (line === "") throw new ActionError(`the completion has no value for \`$${variable}\``, { action: TASK });
  const ofLine = parseLiteral(line);
  if (ofLine.ok) return ofLine.value;
  if (!whole.includes("\n")) return line;
  const ofWhole = parseLiteral(withoutSemicolon(whole));
  if (ofWhole.ok) return ofWhole.value;
  throw new ActionError(`the completion for \`$${variable}\` is neither a literal nor a single line`, { action: TASK });
}

function withoutTarget(text: string, variable: string): string {
  if (!text.startsWith(`$${variable}`)) return text;
  const rest = text.slice(variable.length + 1).trimStart();
  return rest.startsWith("=") ? rest.slice(1).trim() : text;
}

function withoutSemicolon(text: string): string {
  return text.replace(/;$/, "").trimEnd();
}
