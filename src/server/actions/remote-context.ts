import type { RunnableConfig } from "@langchain/core/runnables";
import type { ActionContext } from "../../actions/action.js";
import type { RailsSettings } from "../../config/settings.js";
import { ModelError } from "../../diagnostics/errors.js";
import type { TaskScope } from "../../llm/task/call-model.js";
import type { LlmTasks } from "../../llm/task/task.js";

const EMPTY = Object.freeze({});

function noModels(): never {
  throw new ModelError("a server of actions has no models; pass one as `actionParams`", { code: "CF-119" });
}

const NO_TASKS: LlmTasks = {
  has: () => false,
  load: () => Promise.resolve(),
  render: noModels,
  run: async () => noModels(),
  start: async () => noModels(),
};

/** Context of an action that runs for a remote caller. Of the conversation, it has only the parameters. */
export class RemoteContext implements ActionContext {
  readonly events: ActionContext["events"] = [];
  readonly context: ActionContext["context"] = EMPTY;
  readonly config: RailsSettings;
  readonly tasks = NO_TASKS;
  readonly models: ActionContext["models"] = { byType: EMPTY };
  readonly llm = undefined;
  readonly llms: ActionContext["llms"] = EMPTY;
  readonly kb = undefined;
  readonly state = undefined;
  readonly signal: AbortSignal;
  readonly runnableConfig: RunnableConfig;
  readonly scope: TaskScope;
  readonly services: ActionContext["services"];

  constructor(config: RailsSettings, services: ActionContext["services"], signal: AbortSignal) {
    this.config = config;
    this.services = services;
    this.signal = signal;
    this.runnableConfig = { signal };
    this.scope = { config: this.runnableConfig, signal };
  }

  annotate(): void {
    // Only rails have decisions to annotate.
  }
}
