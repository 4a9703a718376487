import type { RunnableConfig } from "@langchain/core/runnables";
import type { ActionContext, ConfigSource, RunWithConfig } from "../actions/action.js";
import type { DispatchResult } from "../actions/dispatcher.js";
import { ABORT_SOURCE } from "../actions/abort-source.js";
import { IMAGE_SLOT, type ImageSlot } from "../actions/image-slot.js";
import { PAST_MESSAGES } from "../actions/past-messages.js";
import { KNOWN_FINDINGS, type KnownFindings } from "../actions/known-findings.js";
import { PSEUDONYM_SLOT, type PseudonymSlot } from "../actions/pseudonym-table.js";
import { type ReviewTool, TOOL_REVIEW } from "../actions/tool-review.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { ParentSpan, Span } from "../engine/span.js";
import type { LanguageModel, ModelPiece, ModelSet } from "../llm/model.js";
import type { LlmCallRecord, TaskScope } from "../llm/task/call-model.js";
import type { LlmTasks, TaskRequest } from "../llm/task/task.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import { type AbortSource, type Cancellation, isPromise, type MaybePromise } from "../engine/async.js";
import { isKnowledgeBase } from "../generation/retrieve-chunks.js";
import type { RailNotes } from "../rails/rail-dialect.js";
import type { Turn } from "../turn/turn.js";
import type { ActionRegistry } from "../actions/registry.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { RailServices } from "../rails/services.js";
import type { ExecutedAction } from "../turn/result.js";

/** A run of flows in either dialect: the conversation itself, or a rail with its own state. */
export interface ActionRun {
  readonly turn: Turn;
  readonly scope: "conversation" | "rail";
  readonly rail?: { readonly name: string; readonly notes: RailNotes } | undefined;
  /** Child config for everything this run calls. */
  readonly config: RunnableConfig;
  readonly cancellation: Cancellation;
  /** Events before this run, for prompts and actions. */
  readonly past: () => readonly GuardrailsEvent[];
  /** Those of them that carry messages; default: `past`. */
  readonly pastMessages?: (() => readonly GuardrailsEvent[]) | undefined;
  /** Events of this run, in the order in which the engine took them in. */
  readonly events: GuardrailsEvent[];
}

/** Dependencies of a host in either dialect, fixed when the runtime is created. */
export interface HostServices extends RailServices {
  readonly registry: ActionRegistry;
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly kb: unknown;
  readonly actionParams: Readonly<Record<string, unknown>>;
  readonly runWithConfig?: RunWithConfig | undefined;
  /** Built-in actions that only search and call models; excludes those replaced by the user. */
  readonly askingActions: ReadonlySet<string>;
  /** Texts that flows pass to events as literals. */
  readonly writtenTexts: ReadonlySet<string>;
  readonly warnings: readonly Diagnostic[];
}

type ActionServices = RailServices & Pick<HostServices, "tasks" | "models" | "kb">;

/** The parts of an action's context that differ between dialects; costly views are created when read. */
export interface ActionViews {
  readonly context: Readonly<Record<string, unknown>>;
  state(): unknown;
  events(): readonly GuardrailsEvent[];
  services(): Readonly<Record<string, unknown>>;
}

export interface ActionCall {
  readonly calls: LlmCallRecord[];
  /** Aborts with the action. */
  readonly own: Cancellation;
  /** Removes the action's time limit. */
  readonly unlimited?: (() => void) | undefined;
  /** Span of the action, or of the enclosing work. */
  readonly span?: ParentSpan | undefined;
}

/**
 * Context of an action in a run. A class, because each object literal with accessors gets its own hidden class, which
 * is slow and keeps the whole turn in memory until the next full garbage collection.
 */
export class RunActionContext implements ActionContext, ConfigSource {
  readonly context: ActionContext["context"];
  readonly config: ActionContext["config"];
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
    // INVARIANT: assigned to a named constant. V8 allocates a function after `this.annotate =` in the old generation,
    // where it retains all objects of the call until the next full collection.
    const annotate: ActionContext["annotate"] = (details) => {
      if (run.rail) run.rail.notes.details = { ...run.rail.notes.details, ...details };
    };
    this.annotate = annotate;
  }

  get state(): unknown {
    return this.#views.state();
  }

  get events(): readonly GuardrailsEvent[] {
    return (this.#events ??= this.#views.events());
  }

  /**
   * Puts system messages of the call before the general instructions. INVARIANT: rails never read them, since the
   * author of a text must not instruct its judge.
   */
  get tasks(): LlmTasks {
    const { tasks, config } = this.#services;
    const { instructions } = this.#run.turn;
    if (instructions.length === 0 || this.#run.scope === "rail") return tasks;
    const general = config.settings.instructions
      .filter(({ type }) => type === "general")
      .map(({ content }) => content.trim());
    const variables = { general_instructions: [...instructions, ...general].join("\n") };
    const extended = <Request extends Pick<TaskRequest, "variables">>(request: Request): Request => ({
      ...request,
      variables: { ...variables, ...request.variables },
    });
    return {
      ...tasks,
      render: (request) => tasks.render(extended(request)),
      run: (request) => tasks.run(extended(request)),
      start: (request, how) => tasks.start(extended(request), how),
    };
  }

  get models(): ModelSet {
    return (this.#models ??= modelsOf(this.#services, this.#run));
  }

  get llm(): unknown {
    return this.models.main?.native;
  }

  get llms(): Readonly<Record<string, unknown>> {
    const natives: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [type, model] of Object.entries(this.#services.models.byType)) natives[type] = model.native;
    return natives;
  }

  /** The knowledge base. Speculative searches start before the verdict, and the committed run takes them over. */
  get kb(): unknown {
    const { kb } = this.#services;
    const { turn, scope, cancellation } = this.#run;
    const { speculation } = turn;
    if (speculation === undefined || scope === "rail" || !isKnowledgeBase(kb)) return kb;
    const search: KnowledgeBase["search"] = (query, maxResults, call) =>
      speculation.lookup(["knowledge", query, maxResults], call?.signal ?? cancellation.signal, (signal) =>
        kb.search(query, maxResults, { ...call, signal }),
      );
    return { search } satisfies KnowledgeBase;
  }

  get signal(): AbortSignal {
    return this.#call.own.signal;
  }

  get callbacks(): ConfigSource["callbacks"] {
    return this.#run.config.callbacks;
  }

  // INVARIANT: everything an action may pass on carries the signal that also fires at its time limit.
  get runnableConfig(): RunnableConfig {
    const { config } = this.#run;
    const { signal } = this;
    // New keys come before a spread: after it they give each object its own hidden class.
    return (this.#runnableConfig ??= "signal" in config ? { ...config, signal } : { signal, ...config });
  }

  get scope(): TaskScope {
    const { runnableConfig: config, signal } = this;
    return (this.#scope ??= { ...callScope(this.#run, this.#call), config, signal });
  }

  get [PSEUDONYM_SLOT](): PseudonymSlot {
    return this.#run.turn;
  }

  get [PAST_MESSAGES](): ActionRun["past"] {
    return this.#run.pastMessages ?? this.#run.past;
  }

  get [ABORT_SOURCE](): AbortSource {
    return this.#call.own;
  }

  get [IMAGE_SLOT](): ImageSlot {
    return this.#run.turn;
  }

  get [TOOL_REVIEW](): ReviewTool {
    return async (call) => (await import("./review-tool.js")).reviewTool(this.#services, this.#run, call);
  }

  get [KNOWN_FINDINGS](): KnownFindings | undefined {
    return this.#run.rail?.notes.known;
  }

  get services(): Readonly<Record<string, unknown>> {
    return (this.#values ??= this.#views.services());
  }
}

/** Scope of a model call without config and signal: the records and limits of the turn. */
export function callScope({ rail, turn }: ActionRun, { calls, span }: Pick<ActionCall, "calls" | "span">): TaskScope {
  // Lists all keys, since a key added to a copy gives each copy its own hidden class.
  return {
    config: undefined,
    signal: undefined,
    cancellation: undefined,
    tags: undefined,
    findDefects: undefined,
    span,
    rail: rail?.name,
    runName: rail === undefined ? undefined : `rail:${rail.name}`,
    record: (call) => {
      calls.push(call);
      turn.llmCalls.push(call);
      if (rail === undefined) return;
      rail.notes.llmCalls.push(call);
      turn.spend({ tokens: call.usage?.total_tokens ?? 0 });
    },
    beforeCall: () => (rail === undefined ? turn.countModelCall() : turn.countRailCall()),
  };
}

/**
 * Returns the models of a run: the caller's model replaces the main one, and the last raw output is kept on request.
 */
function modelsOf(services: ActionServices, run: ActionRun): ModelSet {
  const { options } = run.turn;
  const given = options.main ?? services.models.main;
  // Calls of a rail are not part of the response.
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

/** Keeps everything received, also from a stream that is left early. */
async function* keepingPieces(
  model: LanguageModel,
  request: Parameters<NonNullable<LanguageModel["stream"]>>,
  turn: Turn,
): AsyncGenerator<ModelPiece> {
  const [, , { signal }] = request;
  let text = "";
  for await (const piece of model.stream?.(...request) ?? []) {
    text += piece.text;
    // A piece after a cancellation must not replace the output of a later call.
    if (signal?.aborted !== true) turn.llmOutput = piece.message ?? { ...piece, text };
    yield piece;
  }
}

/** The span around the actions of a run. */
export function spanOf({ rail, turn }: ActionRun): ParentSpan | undefined {
  return rail?.notes.span ?? turn.span;
}

/** Starts the span of an action; undefined if the call is not traced or `isShown` is false. */
export function openActionSpan(
  { rail, turn }: ActionRun,
  action: string,
  params: Readonly<Record<string, unknown>>,
  isShown = true,
): Span | undefined {
  return isShown ? (rail?.notes.span ?? turn.span)?.start({ kind: "action", action, params }) : undefined;
}

/** Runs an action in its span, which ends with it. */
export function runInSpan(span: Span, run: () => MaybePromise<DispatchResult>): MaybePromise<DispatchResult> {
  const end = (outcome: DispatchResult): DispatchResult => {
    if (outcome.ok) span.end();
    else span.fail(outcome.error);
    return outcome;
  };
  const fail = (error: unknown): never => {
    span.fail(error);
    throw error;
  };
  try {
    const running = span.run(run);
    return isPromise(running) ? running.then(end, fail) : end(running);
  } catch (error) {
    return fail(error);
  }
}

/** Logs an executed action for its rail or turn, if the caller requested a log. */
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
