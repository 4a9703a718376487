import type { RunnableConfig } from "@langchain/core/runnables";
import type { ActionContext } from "../actions/action.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { LanguageModel, ModelPiece, ModelSet } from "../llm/model.js";
import type { LlmCallRecord, TaskScope } from "../llm/task/call-model.js";
import type { LlmTasks } from "../llm/task/task.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import type { Cancellation } from "../engine/async.js";
import { isKnowledgeBase } from "../generation/retrieve-chunks.js";
import type { RailNotes } from "../rails/rail-dialect.js";
import type { Turn } from "../turn/turn.js";
import type { ActionRegistry } from "../actions/registry.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { RailServices } from "../rails/services.js";
import type { ExecutedAction } from "../turn/result.js";

/** A run of flows, as far as both dialects have it: the conversation itself, or a rail in a state of its own. */
export interface ActionRun {
  readonly turn: Turn;
  readonly scope: "conversation" | "rail";
  readonly rail?: { readonly name: string; readonly notes: RailNotes };
  /** The child config of everything this run calls. */
  readonly config: RunnableConfig;
  readonly cancellation: Cancellation;
  /** Events before this run, for prompts and actions. */
  readonly past: () => readonly GuardrailsEvent[];
  /** Events of this run, in the order in which the engine took them in. */
  readonly events: GuardrailsEvent[];
}

/** Dependencies of a host that both dialects have, fixed when the runtime is created. */
export interface HostServices extends RailServices {
  readonly registry: ActionRegistry;
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly kb: unknown;
  readonly actionParams: Readonly<Record<string, unknown>>;
  /** Built-in actions that only search and ask models; none that the user replaced. */
  readonly askingActions: ReadonlySet<string>;
  /** Texts that flows give to events literally. */
  readonly writtenTexts: ReadonlySet<string>;
  readonly warnings: readonly Diagnostic[];
}

type ActionServices = Pick<HostServices, "config" | "tasks" | "models" | "kb">;

/** The parts of an action's context that differ between the dialects; costly views are created when they are read. */
export interface ActionViews {
  readonly context: Readonly<Record<string, unknown>>;
  readonly state: unknown;
  events(): readonly GuardrailsEvent[];
  services(): Readonly<Record<string, unknown>>;
}

export interface ActionCall {
  readonly calls: LlmCallRecord[];
  readonly own: { readonly signal: AbortSignal };
  /** Takes the time limit off the action. */
  readonly unlimited?: (() => void) | undefined;
}

/**
 * The context of an action in a run. A class, because an object literal with accessors gets a hidden class of its own each
 * time, which costs a lot of time and keeps the whole turn in memory until the next full collection.
 */
export class RunActionContext implements ActionContext {
  readonly context: ActionContext["context"];
  readonly config: ActionContext["config"];
  readonly state: unknown;
  readonly annotate: ActionContext["annotate"];
  readonly #services: ActionServices;
  readonly #run: ActionRun;
  readonly #views: ActionViews;
  readonly #call: ActionCall;
  #runnableConfig: RunnableConfig | undefined;
  #events: readonly GuardrailsEvent[] | undefined;
  #models: ModelSet | undefined;
  #scope: TaskScope | undefined;
  #values: Readonly<Record<string, unknown>> | undefined;

  constructor(services: ActionServices, run: ActionRun, views: ActionViews, call: ActionCall) {
    this.#services = services;
    this.#run = run;
    this.#views = views;
    this.#call = call;
    this.context = views.context;
    this.config = services.config.settings;
    this.state = views.state;
    this.annotate = (details) => {
      if (run.rail) run.rail.notes.details = { ...run.rail.notes.details, ...details };
    };
  }

  get events(): readonly GuardrailsEvent[] {
    return (this.#events ??= this.#views.events());
  }

  get tasks(): LlmTasks {
    return tasksOf(this.#services, this.#run);
  }

  get models(): ModelSet {
    return (this.#models ??= modelsOf(this.#services, this.#run));
  }

  get llm(): unknown {
    return this.models.main?.native;
  }

  get llms(): Readonly<Record<string, unknown>> {
    return nativeModels(this.#services);
  }

  get kb(): unknown {
    return knowledgeOf(this.#services, this.#run);
  }

  get signal(): AbortSignal {
    return this.#call.own.signal;
  }

  // INVARIANT: everything an action may hand on carries the signal that also fires at the end of its time.
  get runnableConfig(): RunnableConfig {
    return (this.#runnableConfig ??= withSignal(this.#run.config, this.signal));
  }

  get scope(): TaskScope {
    const { calls } = this.#call;
    return (this.#scope ??= taskScope(this.#run, this.runnableConfig, { calls, signal: this.signal }));
  }

  get services(): Readonly<Record<string, unknown>> {
    return (this.#values ??= this.#views.services());
  }
}

/** A key that is new goes first: behind a spread it gives each object a hidden class of its own. */
function withSignal(config: RunnableConfig, signal: AbortSignal): RunnableConfig {
  return "signal" in config ? { ...config, signal } : { signal, ...config };
}

function taskScope(
  run: ActionRun,
  config: RunnableConfig,
  { calls, signal }: { readonly calls: LlmCallRecord[]; readonly signal: AbortSignal },
): TaskScope {
  return {
    config,
    signal,
    record: (call) => {
      const record = run.rail ? { ...call, rail: run.rail.name } : call;
      calls.push(record);
      run.turn.llmCalls.push(record);
      run.rail?.notes.llmCalls.push(record);
    },
    ...(run.rail === undefined ? {} : { runName: `rail:${run.rail.name}` }),
    beforeCall: () => run.turn.countModelCall(),
  };
}

/** Returns the models of a run: the caller's model replaces the main one, and the last raw output is kept if asked for. */
function modelsOf(services: ActionServices, run: ActionRun): ModelSet {
  const { options } = run.turn;
  const given = options.main ?? services.models.main;
  // Calls of a rail are no part of the answer.
  const speculation = run.scope === "conversation" ? run.turn.speculation : undefined;
  const keeps = run.scope === "conversation" && options.llmOutput === true;
  if (speculation === undefined) {
    if (given !== undefined && keeps) return { ...services.models, main: keepingOutput(given, run.turn) };
    return options.main === undefined ? services.models : { ...services.models, main: given };
  }
  const wrap = (model: LanguageModel): LanguageModel => speculation.model(model);
  const byType = Object.entries(services.models.byType).map(([type, model]) => [type, wrap(model)] as const);
  const main = given && wrap(given);
  return { main: main && keeps ? keepingOutput(main, run.turn) : main, byType: Object.fromEntries(byType) };
}

function keepingOutput(model: LanguageModel, turn: Turn): LanguageModel {
  return {
    engine: model.engine,
    name: model.name,
    family: model.family,
    native: model.native,
    generate: async (...request) => {
      const completion = await model.generate(...request);
      turn.llmOutput = completion.message ?? completion;
      return completion;
    },
    ...(model.stream === undefined ? {} : { stream: (...request) => keepingPieces(model, request, turn) }),
  };
}

/** Keeps what has come in, also of a stream that is left early. */
async function* keepingPieces(
  model: LanguageModel,
  request: Parameters<NonNullable<LanguageModel["stream"]>>,
  turn: Turn,
): AsyncGenerator<ModelPiece> {
  const [, , { signal }] = request;
  let text = "";
  for await (const piece of model.stream?.(...request) ?? []) {
    text += piece.text;
    // A piece that comes behind a cut must not take the place of a later call.
    if (signal?.aborted !== true) turn.llmOutput = piece.message ?? { ...piece, text };
    yield piece;
  }
}

/** Puts system messages of the call before the general instructions. INVARIANT: a rail never reads them: the author of a text must not instruct its judge. */
function tasksOf(services: ActionServices, run: ActionRun): LlmTasks {
  const { tasks, config } = services;
  const { instructions } = run.turn;
  if (instructions.length === 0 || run.scope === "rail") return tasks;
  const general = config.settings.instructions
    .filter(({ type }) => type === "general")
    .map(({ content }) => content.trim());
  const variables = { general_instructions: [...instructions, ...general].join("\n") };
  return {
    ...tasks,
    render: (request) => tasks.render({ ...request, variables: { ...variables, ...request.variables } }),
    run: (request) => tasks.run({ ...request, variables: { ...variables, ...request.variables } }),
    start: (request, how) => tasks.start({ ...request, variables: { ...variables, ...request.variables } }, how),
  };
}

function nativeModels(services: ActionServices): Readonly<Record<string, unknown>> {
  const natives: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [type, model] of Object.entries(services.models.byType)) natives[type] = model.native;
  return natives;
}

/** Returns the knowledge base; with speculation, its searches begin before the verdict or take over those that did. */
function knowledgeOf({ kb }: ActionServices, { turn, scope, cancellation }: ActionRun): unknown {
  const { speculation } = turn;
  if (speculation === undefined || scope === "rail" || !isKnowledgeBase(kb)) return kb;
  const search: KnowledgeBase["search"] = (query, maxResults, call) =>
    speculation.lookup(["knowledge", query, maxResults], call?.signal ?? cancellation.signal, (signal) =>
      kb.search(query, maxResults, { ...call, signal }),
    );
  return { search } satisfies KnowledgeBase;
}

/** Writes an executed action into the log of its rail or turn, if the caller asked for one. */
export function recordAction(
  { turn, rail }: ActionRun,
  action: Omit<ExecutedAction, "finishedAt" | "durationMs">,
): void {
  if (turn.activity === undefined) return;
  const finishedAt = turn.now();
  const executed = { ...action, finishedAt, durationMs: finishedAt - action.startedAt };
  if (rail === undefined) turn.activity.action(executed);
  else rail.notes.actions.push(executed);
}
