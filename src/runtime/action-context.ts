import type { RunnableConfig } from "@langchain/core/runnables";
import type { ActionContext } from "../actions/action.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { LanguageModel, ModelPiece, ModelSet } from "../llm/model.js";
import type { LlmCallRecord, TaskScope } from "../llm/task/record.js";
import type { LlmTasks } from "../llm/task/task.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { Cancellation } from "../engine/cancellation.js";
import { isKnowledgeBase } from "../generation/retrieve-chunks.js";
import type { RailNotes } from "../rails/rail-dialect.js";
import type { Turn } from "../turn/turn.js";

/** Dependencies of a run's actions, for both dialects. */
export interface ActionRun {
  readonly turn: Turn;
  readonly scope: "conversation" | "rail";
  readonly rail?: { readonly name: string; readonly notes: RailNotes };
  /** The child config of everything this run calls. */
  readonly config: RunnableConfig;
  readonly cancellation: Cancellation;
}

interface ActionServices {
  readonly config: RailsConfig;
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly kb: unknown;
}

/** What differs between the languages; costly views are made only when they are read. */
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

/** The surroundings of an action. */
export function surroundings(
  services: ActionServices,
  run: ActionRun,
  views: ActionViews,
  call: ActionCall,
): ActionContext {
  return new Surroundings(services, run, views, call);
}

/**
 * Costly views are made only when they are read. A class, because an object literal with accessors gets a hidden class of
 * its own each time, which costs a lot of time and keeps the whole turn in memory until the next full collection.
 */
class Surroundings implements ActionContext {
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

/** The caller's model replaces only the main one; what the dialog's last call returned is kept when it is asked for. */
function modelsOf(services: ActionServices, run: ActionRun): ModelSet {
  const { options, speculation } = run.turn;
  const given = options.main ?? services.models.main;
  // What a rail asks is no part of the answer.
  if (speculation !== undefined && run.scope === "conversation") {
    const wrap = (model: LanguageModel): LanguageModel => speculation.model(model);
    const byType = Object.entries(services.models.byType).map(([type, model]) => [type, wrap(model)] as const);
    const main = given && wrap(given);
    const kept = main !== undefined && options.llmOutput === true ? keepingOutput(main, run.turn) : main;
    return { main: kept, byType: Object.fromEntries(byType) };
  }
  const main = given;
  if (main !== undefined && options.llmOutput === true && run.scope === "conversation") {
    return { ...services.models, main: keepingOutput(main, run.turn) };
  }
  return options.main === undefined ? services.models : { ...services.models, main };
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

/** Of a stream that is left, what came in until then. */
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

/** System messages of the call go before the general instructions; what judges a text is not told by its author how. */
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

/** A knowledge base that is asked ahead of the verdict, or answers with what it was asked then. */
function knowledgeOf({ kb }: ActionServices, { turn, scope, cancellation }: ActionRun): unknown {
  const { speculation } = turn;
  if (speculation === undefined || scope === "rail" || !isKnowledgeBase(kb)) return kb;
  const search: KnowledgeBase["search"] = (query, maxResults, call) =>
    speculation.lookup(["knowledge", query, maxResults], call?.signal ?? cancellation.signal, (signal) =>
      kb.search(query, maxResults, { ...call, signal }),
    );
  return { search } satisfies KnowledgeBase;
}
