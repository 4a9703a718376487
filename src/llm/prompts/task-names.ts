import type { TaskPrompt } from "../../config/settings.js";
import { CATALOG_TASKS } from "../catalog/task-names.js";

/** Old task names still used by configurations. */
const TASK_ALIASES: ReadonlyMap<string, string> = new Map([["fact_checking", "self_check_facts"]]);

/** Returns the current name of a task; arguments such as `$model=guard` are part of the name. */
export function canonicalTask(task: string): string {
  const trimmed = task.trim();
  return TASK_ALIASES.get(trimmed) ?? trimmed;
}

/** Names of tasks with a built-in prompt, including old names. */
export const BUILT_IN_TASKS: ReadonlySet<string> = new Set([...CATALOG_TASKS, ...TASK_ALIASES.keys()]);

/** The templates of a prompt. */
export function templateTexts(prompt: TaskPrompt): readonly string[] {
  if (prompt.content !== null) return [prompt.content];
  return (prompt.messages ?? []).map((message) => (typeof message === "string" ? message : message.content));
}
