import type { TaskPrompt } from "../../config/settings.js";
import { TemplateError } from "../../diagnostics/errors.js";
import { andThen, isPromise, lazily } from "../../engine/async.js";
import { BUILT_IN_TASKS, canonicalTask } from "../prompts/task-names.js";
import type { LlmTasks } from "./task.js";

/**
 * Tasks loaded when the first one runs: prompts, templates and parsers are a quarter of a turn's code, and rails
 * without a judge need none of it.
 *
 * @param prompts - prompts of the configuration
 */
export function lazyTasks(prompts: readonly Pick<TaskPrompt, "task">[], load: () => Promise<LlmTasks>): LlmTasks {
  const tasks = lazily(load);
  const names = new Set([...BUILT_IN_TASKS, ...prompts.map(({ task }) => task)].map(canonicalTask));
  return {
    has: (task) => names.has(canonicalTask(task)),
    load: () => andThen(tasks(), (loaded) => loaded.load()),
    render: (request) => {
      const loaded = tasks();
      if (!isPromise(loaded)) return loaded.render(request);
      loaded.catch(() => undefined);
      throw new TemplateError("a task is rendered before tasks were loaded; await `load()` first");
    },
    run: (request) => {
      const loaded = tasks();
      return isPromise(loaded) ? loaded.then((ready) => ready.run(request)) : loaded.run(request);
    },
    start: async (request, how) => andThen(tasks(), (loaded) => loaded.start(request, how)),
  };
}
