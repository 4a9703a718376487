import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import type { LoadOptions } from "../load/load-options.js";
import { formatPath, itemsAt, nodeAt, type RawMap, textAt } from "../yaml/raw-node.js";

const TOOL_STAGES = ["tool_output", "tool_input"] as const;
const STAGES = ["input", "output", "retrieval", ...TOOL_STAGES] as const;
const WITH_VARIANT = /^(?:self check (?:input|output|facts|hallucination)|tool safety check tool (?:output|input))$/;

/** Checks the parameters of listed rails as far as settings alone allow; flows are looked up after compiling. */
export function checkRailReferences(
  root: RawMap,
  { suppliedModels = [], builtInTasks = new Set() }: LoadOptions,
  problems: Diagnostic[],
): void {
  const textsOf = (list: string, key: string): string[] =>
    itemsAt(root, [list]).flatMap((item) => textAt(item, [key]) ?? []);
  const models = [...new Set([...textsOf("models", "type"), ...suppliedModels])];
  const tasks = new Set([...textsOf("prompts", "task"), ...builtInTasks]);
  const variants = new Set<string>();
  const perTool = TOOL_STAGES.flatMap((stage) => {
    const tools = nodeAt(root, ["rails", stage, "per_tool"]);
    return tools?.kind === "map" ? [...tools.entries.keys()].map((name) => ["rails", stage, "per_tool", name]) : [];
  });
  for (const path of [...STAGES.map((stage) => ["rails", stage, "flows"]), ...perTool]) {
    for (const [index, item] of itemsAt(root, path).entries()) {
      if (item.kind !== "scalar" || typeof item.value !== "string") continue;
      const { id, parameters } = parseRailReference(item.value);
      const place = { span: item.span, path: formatPath([...path, index]) };
      const model = parameters.get("model");
      if (model && !models.includes(model)) {
        const listed = models.map((type) => `\`${type}\``).join(", ");
        const known = listed ? `the types are ${listed}` : "there is no entry under `models` yet";
        const hint = didYouMean(model, models) ?? known;
        report(problems, "CF-111", `no model has the type \`${model}\``, { ...place, hint });
      }
      const variant = WITH_VARIANT.test(id) ? parameters.get("variant") : undefined;
      if (variant) variants.add(variant);
      if (variant && !tasks.has(variant)) {
        const hint = didYouMean(variant, tasks) ?? `add an entry with \`task: ${variant}\` under \`prompts\``;
        report(problems, "PR-105", `no prompt has the task \`${variant}\``, { ...place, hint });
      }
    }
  }
  checkPromptTasks(root, new Set([...builtInTasks, ...variants]), problems);
}

/**
 * A prompt under a name that is nearly that of a task would never be used, and the built-in one would be in its place. Other
 * names may be tasks of actions.
 */
function checkPromptTasks(root: RawMap, known: ReadonlySet<string>, problems: Diagnostic[]): void {
  for (const [index, prompt] of itemsAt(root, ["prompts"]).entries()) {
    const task = textAt(prompt, ["task"]) ?? "";
    const [name = ""] = task.split(" $");
    const hint = known.has(task) || known.has(name) ? undefined : didYouMean(name, known);
    if (hint === undefined) continue;
    const place = { span: nodeAt(prompt, ["task"])?.span, path: formatPath(["prompts", index, "task"]) };
    report(problems, "PR-108", `no rail and no generation uses the task \`${name}\``, { ...place, hint });
  }
}

/** A rail as it is named in `rails.<stage>.flows`, with its parameters. */
export interface RailReference {
  /** The name of the flow: the text before the parameters. */
  readonly id: string;
  /** By name without the dollar sign; `null` without a value. */
  readonly parameters: ReadonlyMap<string, string | null>;
}

/**
 * Takes a reference such as `content safety check input $model=guard` or `check topic(level="high", depth=2)` apart.
 *
 * @example
 * ```ts
 * parseRailReference("check topic $level=high").id; // "check topic"
 * ```
 */
export function parseRailReference(reference: string): RailReference {
  const paren = reference.indexOf("(");
  const dollar = reference.search(/\s\$/);
  if (paren !== -1 && (dollar === -1 || paren < dollar)) {
    const close = reference.lastIndexOf(")");
    const inside = reference.slice(paren + 1, close > paren ? close : undefined);
    return { id: tidy(reference.slice(0, paren)), parameters: readParameters(inside) };
  }
  if (dollar === -1) return { id: tidy(reference), parameters: new Map() };
  return { id: tidy(reference.slice(0, dollar)), parameters: readParameters(reference.slice(dollar + 1)) };
}

function tidy(name: string): string {
  return name.trim().replace(/\s+/g, " ");
}

/** `a=1, $b="x, y"` and `$a=1 $b=2`: a comma or a dollar sign outside quotes begins the next parameter. */
function readParameters(text: string): Map<string, string | null> {
  const parameters = new Map<string, string | null>();
  let from = 0;
  let quote = "";
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    if (quote) {
      if (character === quote) quote = "";
      if (at < text.length) continue;
    } else if (character === '"' || character === "'") {
      quote = character;
      continue;
    }
    const isNext = character === "$" && at > from && /\s/.test(text.charAt(at - 1));
    if (at === text.length || character === "," || isNext) {
      const [name = "", ...value] = text.slice(from, at).split("=");
      const bare = name.trim().replace(/^\$/, "").trim();
      if (bare !== "") parameters.set(bare, value.length === 0 ? null : unquote(value.join("=").trim()));
      from = isNext ? at : at + 1;
    }
  }
  return parameters;
}

function unquote(value: string): string {
  const isQuoted = value.length >= 2 && /^["']/.test(value) && value.endsWith(value.charAt(0));
  return isQuoted ? value.slice(1, -1) : value;
}
