import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { modelTypesOf } from "./models.js";
import { promptTasksOf } from "./prompts.js";
import { parseRailReference } from "../rail-reference.js";
import { formatPath, itemsAt, nodeAt, type RawMap, type RawScalar } from "../yaml/raw-node.js";

export interface RailEnvironment {
  readonly suppliedModels: readonly string[];
  /** Tasks for which prompts are built in. */
  readonly builtInTasks: ReadonlySet<string>;
}

const STAGES = ["input", "output", "retrieval", "tool_output", "tool_input"] as const;
const TOOL_STAGES = ["tool_output", "tool_input"] as const;
const WITH_VARIANT = /^(?:self check (?:input|output|facts|hallucination)|tool safety check tool (?:output|input))$/;

/** Checks the parameters of listed rails as far as settings alone allow; flows are looked up after compiling. */
export function checkRailReferences(root: RawMap, environment: RailEnvironment, problems: Diagnostic[]): void {
  const models = [...new Set([...modelTypesOf(root), ...environment.suppliedModels])];
  const tasks = new Set([...promptTasksOf(root), ...environment.builtInTasks]);
  const variants = new Set<string>();
  for (const path of listsOfRails(root)) {
    for (const [index, item] of itemsAt(root, path).entries()) {
      if (item.kind !== "scalar" || typeof item.value !== "string") continue;
      const { id, parameters } = parseRailReference(item.value);
      const place = { item, path: formatPath([...path, index]) };
      const model = parameters.get("model");
      if (model && !models.includes(model)) problems.push(unknownModel(place, model, models));
      const variant = WITH_VARIANT.test(id) ? parameters.get("variant") : undefined;
      if (variant) variants.add(variant);
      if (variant && !tasks.has(variant)) problems.push(missingPrompt(place, variant, tasks));
    }
  }
  checkPromptTasks(root, new Set([...environment.builtInTasks, ...variants]), problems);
}

function listsOfRails(root: RawMap): readonly (readonly string[])[] {
  const perTool = TOOL_STAGES.flatMap((stage) => {
    const path = ["rails", stage, "per_tool"];
    const tools = nodeAt(root, path);
    return tools?.kind === "map" ? [...tools.entries.keys()].map((name) => [...path, name]) : [];
  });
  return [...STAGES.map((stage) => ["rails", stage, "flows"]), ...perTool];
}

/**
 * A prompt under a name that is nearly that of a task would never be used, and the built-in one would be in its place. Other
 * names may be tasks of actions.
 */
function checkPromptTasks(root: RawMap, known: ReadonlySet<string>, problems: Diagnostic[]): void {
  for (const [index, prompt] of itemsAt(root, ["prompts"]).entries()) {
    const task = prompt.kind === "map" ? prompt.entries.get("task")?.value : undefined;
    if (task?.kind !== "scalar" || typeof task.value !== "string") continue;
    const [name = ""] = task.value.split(" $");
    if (known.has(task.value) || known.has(name)) continue;
    const hint = didYouMean(name, known);
    if (hint === undefined) continue;
    const path = formatPath(["prompts", index, "task"]);
    problems.push(
      createDiagnostic("PR-108", `no rail and no generation uses the task \`${name}\``, {
        span: task.span,
        hint,
        path,
      }),
    );
  }
}

interface Place {
  readonly item: RawScalar;
  readonly path: string;
}

function unknownModel({ item, path }: Place, model: string, known: readonly string[]): Diagnostic {
  const listed = known.map((type) => `\`${type}\``).join(", ");
  return createDiagnostic("CF-111", `no model has the type \`${model}\``, {
    span: item.span,
    hint: didYouMean(model, known) ?? (listed ? `the types are ${listed}` : "there is no entry under `models` yet"),
    path,
  });
}

function missingPrompt({ item, path }: Place, task: string, known: ReadonlySet<string>): Diagnostic {
  return createDiagnostic("PR-105", `no prompt has the task \`${task}\``, {
    span: item.span,
    hint: didYouMean(task, known) ?? `add an entry with \`task: ${task}\` under \`prompts\``,
    path,
  });
}
