import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import type { LoadOptions } from "../load/load-options.js";
import { formatPath, itemsAt, nodeAt, type RawMap, type RawNode, textAt } from "../yaml/raw-node.js";

const TOOL_STAGES = ["tool_output", "tool_input"] as const;
const STAGES = ["input", "output", "retrieval", ...TOOL_STAGES] as const;
const SELF_CHECK = /^self check (input|output)$/;
const WITH_VARIANT =
  /^(?:self check (?:input|output|facts|hallucination)|tool safety check tool (?:output|input)|(?:content safety|llama guard|llm judge) check (?:input|output)|topic safety check input|patronus lynx check output hallucination)$/;

/** Checks the parameters of listed rails as far as settings allow; flows are resolved after compiling. */
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
  const listed = nodeAt(root, ["rails", "config", "self_check", "variants"]);
  const inSettings = new Set(listed?.kind === "map" ? listed.entries.keys() : []);
  const perTool = TOOL_STAGES.flatMap((stage) => {
    return PER_TOOL.flatMap((key) => toolsIn(root, stage, key).map((tool) => ["rails", stage, key, tool]));
  });
  const lists = STAGES.flatMap((stage) => [
    ["rails", stage, "flows"],
    ["rails", stage, "shadow"],
  ]);
  checkShadows(root, problems);
  for (const path of [...lists, ...perTool]) {
    for (const [index, item] of itemsAt(root, path).entries()) {
      if (item.kind !== "scalar" || typeof item.value !== "string") continue;
      const { id, parameters } = parseFlowReference(item.value);
      const valueOf = (name: string): string | null | undefined =>
        parameters.find((parameter) => parameter.name === name)?.value;
      const place = { span: item.span, path: formatPath([...path, index]) };
      const model = valueOf("model");
      if (model && !models.includes(model)) {
        const listed = models.map((type) => `\`${type}\``).join(", ");
        const known = listed ? `the types are ${listed}` : "there is no entry under `models` yet";
        const hint = didYouMean(model, models) ?? known;
        report(problems, "CF-111", `no model has the type \`${model}\``, { ...place, hint });
      }
      const variant = WITH_VARIANT.test(id) ? valueOf("variant") : undefined;
      if (variant) variants.add(variant);
      if (variant && !tasks.has(variant) && !(SELF_CHECK.test(id) && inSettings.has(variant))) {
        const hint = didYouMean(variant, tasks) ?? `add an entry with \`task: ${variant}\` under \`prompts\``;
        report(problems, "PR-105", `no prompt has the task \`${variant}\``, { ...place, hint });
      }
      const side = SELF_CHECK.exec(id)?.[1];
      if (variant && side && inSettings.has(variant) && !tasks.has(variant) && !hasPolicies(listed, variant, side)) {
        const hint = `add \`rails.config.self_check.variants.${variant}.${side}.policies\`, or take \`$variant\` off`;
        report(problems, "CF-211", `the variant \`${variant}\` has no policies for \`${side}\``, { ...place, hint });
      }
    }
  }
  checkPromptTasks(root, new Set([...builtInTasks, ...variants]), problems);
}

function hasPolicies(variants: RawNode | undefined, variant: string, side: string): boolean {
  return variants !== undefined && itemsAt(variants, [variant, side, "policies"]).length > 0;
}

const PER_TOOL = ["per_tool", "shadow_per_tool"] as const;

function toolsIn(root: RawMap, stage: string, key: string): readonly string[] {
  const tools = nodeAt(root, ["rails", stage, key]);
  return tools?.kind === "map" ? [...tools.entries.keys()] : [];
}

/** Reports a rail that is both active and in shadow. */
function checkShadows(root: RawMap, problems: Diagnostic[]): void {
  for (const stage of STAGES) {
    checkShadow(root, [["rails", stage, "flows"]], ["rails", stage, "shadow"], problems);
    for (const tool of toolsIn(root, stage, "shadow_per_tool")) {
      const counting = [
        ["rails", stage, "flows"],
        ["rails", stage, "per_tool", tool],
      ];
      checkShadow(root, counting, ["rails", stage, "shadow_per_tool", tool], problems);
    }
  }
}

function checkShadow(
  root: RawMap,
  counting: readonly (readonly string[])[],
  shadow: readonly string[],
  problems: Diagnostic[],
): void {
  for (const [index, item] of itemsAt(root, shadow).entries()) {
    const rail = textOf(item);
    const other = counting.find((path) => itemsAt(root, path).some((listed) => textOf(listed) === rail));
    if (rail === undefined || other === undefined) continue;
    const place = { span: item.span, path: formatPath([...shadow, index]) };
    const hint = "list it once; a variant with other settings is another rail, such as `name $variant=strict`";
    const [key, own] = [other[2] ?? "", shadow[2] ?? ""];
    report(problems, "CF-104", `\`${rail}\` is listed under \`${key}\` and under \`${own}\``, { ...place, hint });
  }
}

function textOf(item: RawNode): string | undefined {
  return item.kind === "scalar" && typeof item.value === "string" ? item.value : undefined;
}

/**
 * Reports a prompt whose name is nearly that of a task: it would be ignored in favour of the built-in one. Other names
 * may be tasks of actions.
 */
function checkPromptTasks(root: RawMap, known: ReadonlySet<string>, problems: Diagnostic[]): void {
  for (const [index, prompt] of itemsAt(root, ["prompts"]).entries()) {
    const task = textAt(prompt, ["task"]) ?? "";
    const [name = ""] = task.split(/ \$|\//, 1);
    const hint = known.has(task) || known.has(name) ? undefined : didYouMean(name, known);
    if (hint === undefined) continue;
    const place = { span: nodeAt(prompt, ["task"])?.span, path: formatPath(["prompts", index, "task"]) };
    report(problems, "PR-108", `no rail and no generation uses the task \`${name}\``, { ...place, hint });
  }
}
