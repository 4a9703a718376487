import { quoteText } from "../../../diagnostics/diagnostic.js";
import { didYouMean } from "../../../diagnostics/suggestion.js";
import type { NameCallee } from "../../ast.js";
import { COLANG_2_DIALECT } from "../../expression-dialect.js";
import { hintForWord } from "../../parse/reserved-words.js";
import type { RuleInput } from "./rule.js";

type Flows = RuleInput["flows"];

/**
 * Returns what was probably meant by the name of a flow that is not defined.
 *
 * @param isValue - the name is all that stands on the right side of an assignment
 */
export function hintForUndefinedFlow(
  { flows, moduleOf }: Pick<RuleInput, "flows" | "moduleOf">,
  callee: NameCallee,
  isValue: boolean,
): string {
  const name = callee.name.text;
  return (
    functionInName(flows, callee) ??
    moduleToImport(moduleOf?.(name)) ??
    (isValue ? hintForValue(callee) : undefined) ??
    textWithoutQuotes(flows, callee) ??
    didYouMean(name, flows.keys()) ??
    nameOfAction(name) ??
    hintForStatement(callee) ??
    "define it, or add it while the conversation runs"
  );
}

/** Words that also begin ordinary names of flows, such as `set the table`. */
const VERBS: ReadonlySet<string> = new Set(
  "set let raise throw create switch try catch label include undefined null true false".split(" "),
);

function hintForStatement({ name: { text, span } }: NameCallee): string | undefined {
  const before = span.source.text.slice(0, span.start).trimEnd();
  if (before !== "" && !span.source.text.slice(before.length, span.start).includes("\n")) return undefined;
  const [first = "", second] = text.split(" ");
  const isName = VERBS.has(first) && second !== undefined && !(first === "create" && second === "event");
  return isName ? undefined : hintForWord(first);
}

const MAX_SHOWN = 60;

/** `user said regex("x")` calls a flow `user said regex`, for parentheses belong to the whole name. */
function functionInName(flows: Flows, { name, form, span }: NameCallee): string | undefined {
  const at = name.text.lastIndexOf(" ");
  const [flow, word] = [name.text.slice(0, at), name.text.slice(at + 1)];
  if (at === -1 || form !== "classic" || !flows.has(flow) || !COLANG_2_DIALECT.functions.has(word)) return undefined;
  const { text } = span.source;
  const call = text.slice(name.span.end - word.length, span.end);
  const shown = call.length > MAX_SHOWN || call.includes("\n") ? `${word}(…)` : call;
  return `the parentheses belong to the whole name; write ${quoteText(`${flow} (${shown})`)} to call the function ${quoteText(word)}`;
}

function moduleToImport(module: string | undefined): string | undefined {
  return module === undefined ? undefined : `write \`import ${module}\` at the beginning of the file`;
}

/** A single word that is assigned is mostly a variable, a text or a function. */
function hintForValue({ name, arguments: given, form }: NameCallee): string | undefined {
  const { text } = name;
  if (text.includes(" ")) return undefined;
  if (form === "classic") return didYouMean(text, COLANG_2_DIALECT.functions.keys());
  if (given.length > 0) return undefined;
  const foreign = hintForWord(text, new Set());
  return foreign ?? `a variable is written ${quoteText(`$${text}`)}, a text is written ${quoteText(`"${text}"`)}`;
}

/** `bot say hello` is the name of a flow as a whole; where `bot say` takes a text, that was meant. */
function textWithoutQuotes(flows: Flows, { name, arguments: given }: NameCallee): string | undefined {
  const words = name.text.split(" ");
  for (let count = words.length - 1; count > 0 && given.length === 0; count -= 1) {
    const flow = words.slice(0, count).join(" ");
    if ((flows.get(flow)?.parameters.length ?? 0) === 0) continue;
    return `write the text in quotes: ${quoteText(`${flow} "${words.slice(count).join(" ")}"`)}`;
  }
  return undefined;
}

function nameOfAction(name: string): string | undefined {
  if (name.includes(" ") || !name.endsWith("Action")) return undefined;
  const action = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return `names of actions begin with a capital letter: ${quoteText(action)}`;
}
