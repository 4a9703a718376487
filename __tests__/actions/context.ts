import type { ActionContext } from "../../src/actions/action.js";
import type { RailsSettings } from "../../src/config/settings.js";
import type { LlmTasks } from "../../src/llm/task/task.js";
import type { StartTimer } from "../../src/engine/events.js";

const noTasks: LlmTasks = {
  has: () => false,
  load: () => Promise.resolve(),
  render: () => {
    throw new Error("no task was expected");
  },
  run: () => Promise.reject(new Error("no task was expected")),
  start: () => Promise.reject(new Error("no task was expected")),
};

/** A context with nothing in it. */
export function actionContext(fields: Partial<ActionContext> = {}): ActionContext {
  return {
    events: [],
    context: {},
    config: {} as RailsSettings,
    tasks: noTasks,
    models: { byType: {} },
    llm: undefined,
    llms: {},
    kb: undefined,
    state: undefined,
    signal: new AbortController().signal,
    runnableConfig: {},
    scope: {},
    services: {},
    annotate: () => undefined,
    ...fields,
  };
}

/** The same context for any signal of an action, like that of a host. */
export function underSignal(context: ActionContext): (own: { readonly signal: AbortSignal }) => ActionContext {
  return ({ signal }) => ({
    ...context,
    signal,
    runnableConfig: { ...context.runnableConfig, signal },
    scope: { ...context.scope, config: { ...context.scope.config, signal }, signal },
  });
}

/** A timer that fires on command. */
export function manualTimer(): { readonly start: StartTimer; fire(): void; readonly running: () => number } {
  const waiting = new Set<() => void>();
  return {
    start: (_, onTimeout) => {
      waiting.add(onTimeout);
      return () => waiting.delete(onTimeout);
    },
    fire: () => {
      for (const onTimeout of waiting) {
        waiting.delete(onTimeout);
        onTimeout();
      }
    },
    running: () => waiting.size,
  };
}
