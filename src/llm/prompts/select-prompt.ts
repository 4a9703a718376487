import type { TaskPrompt } from "../../config/settings.js";
import type { LanguageModel } from "../model.js";

/** A built-in prompt; `family` is the kind of model it is written for. */
export interface CatalogPrompt extends TaskPrompt {
  readonly family: "chat" | "text" | "any";
}

/** The properties of a model that decide the selection. */
export type PromptTarget = Pick<LanguageModel, "engine" | "name" | "family">;

export interface PromptSelection {
  readonly task: string;
  readonly model: PromptTarget;
  readonly mode: string;
}

const STANDARD_MODE = "standard";
const UNKNOWN = "unknown";

/** Old names of tasks that configurations still use. */
export const TASK_ALIASES: ReadonlyMap<string, string> = new Map([["fact_checking", "self_check_facts"]]);

/** Returns the current name of a task; arguments such as `$model=guard` belong to the name. */
export function canonicalTask(task: string): string {
  const trimmed = task.trim();
  return TASK_ALIASES.get(trimmed) ?? trimmed;
}

/**
 * Returns the prompt for a task, a model and a mode: the best score wins, of equal ones the last, and the prompts of the
 * configuration follow the built-in ones. Unlike in NeMo Guardrails, prompts for other models do not count, and every chat
 * model gets the prompts for chat models, even an unknown one.
 *
 * @returns undefined when no prompt fits
 */
export function selectPrompt(
  catalog: readonly CatalogPrompt[],
  configured: readonly TaskPrompt[],
  selection: PromptSelection,
): TaskPrompt | undefined {
  const task = canonicalTask(selection.task);
  const { engine, name, family } = selection.model;
  const modelName = name === UNKNOWN || name === "" ? engine : `${engine}/${name}`;
  let best: TaskPrompt | undefined;
  let bestScore = 0;
  const consider = (prompt: TaskPrompt): void => {
    if (canonicalTask(prompt.task) !== task) return;
    const score = scorePrompt(prompt, modelName, selection.mode);
    if (score > 0 && score >= bestScore) [best, bestScore] = [prompt, score];
  };
  for (const prompt of catalog) if (prompt.family === "any" || prompt.family === family) consider(prompt);
  for (const prompt of configured) consider(prompt);
  return best;
}

/** 0 means that the prompt is for something else. */
function scorePrompt(prompt: TaskPrompt, modelName: string, mode: string): number {
  const score = prompt.models === null ? 0.2 : scoreModels(prompt.models, modelName);
  if (prompt.mode === mode) return score;
  return prompt.mode === STANDARD_MODE ? score / 2 : 0;
}

function scoreModels(names: readonly string[], modelName: string): number {
  let score = 0;
  for (const name of names) {
    if (name === "") continue;
    if (name === modelName) return 1;
    if (modelName.startsWith(`${name}/`)) return 0.5;
    if (modelName.endsWith(`/${name}`)) return 0.8;
    if (modelName.includes(name)) score = 0.4;
  }
  return score;
}
