import type { RailsConfig } from "../config/rails-config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import type { CallTracer } from "../engine/span.js";
import type { LanguageModel } from "../llm/model.js";
import { findLibraryFlow } from "../library/manifest.js";
import type { RailFlowStage } from "../library/rail-manifest.js";
import { checkSelection } from "../rails/plan.js";
import { selectToolRails } from "../rails/tools/tool-check.js";
import type { TurnMessage, TurnOptions } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { ToolStage } from "../turn/decision.js";
import { Turn } from "../turn/turn.js";
import type { DialectHost, BotUtterance, CanonicalForm, FlowResult, NextStep } from "./dialect-host.js";
import type { EventSession, SessionOptions } from "./event-session.js";
import { GuardedConversation } from "./guarded-conversation.js";
import { EarlierReviews } from "./history-review.js";
import { hasReversible } from "./pseudonyms.js";
import { type CallObserver, Refusals } from "./review.js";
import { ThreadKeeper, type ThreadSources } from "../threads/thread-keeper.js";

/** Creates a runtime whose configuration also lists a library rail. */
type OpenRail = (reference: string, stage: Exclude<RailFlowStage, "dialog">) => Promise<Runtime>;

/**
 * The runtime of one configuration, as the LangChain surface uses it. Between calls it keeps its thread store, refusals
 * of the configuration, and bounded reviews of messages that applications send again.
 */
export class Runtime {
  readonly #host: DialectHost;
  readonly #threads: ThreadKeeper;
  readonly #refusals = new Refusals();
  readonly #earlierReviews = new EarlierReviews();
  readonly #openRail: OpenRail | undefined;
  #hasPseudonyms: boolean | undefined;
  readonly #opened = new Map<string, Promise<Runtime>>();

  constructor(host: DialectHost, threads: ThreadSources = {}, openRail?: OpenRail) {
    this.#host = host;
    this.#threads = new ThreadKeeper(threads, host);
    this.#openRail = openRail;
  }

  /**
   * Returns a runtime with a rail: this one, or a variant, created once, with a library rail that the configuration
   * does not import.
   */
  withRail(reference: string): Runtime | Promise<Runtime> {
    const { id } = parseFlowReference(reference);
    const stage = findLibraryFlow(id)?.flow.stage;
    if (this.#openRail === undefined || stage === undefined || stage === "dialog") return this;
    if (this.#host.services.rails.has(id)) return this;
    let opened = this.#opened.get(reference);
    if (opened === undefined) this.#opened.set(reference, (opened = this.#openRail(reference, stage)));
    return opened;
  }

  get config(): RailsConfig {
    return this.#host.services.config;
  }

  get warnings(): readonly Diagnostic[] {
    return this.#host.warnings;
  }

  /** True if user intents or dialog flows exist, so a turn is more than rails around a call. */
  get hasDialog(): boolean {
    return this.#host.hasDialog;
  }

  get hasMain(): boolean {
    return this.#host.main !== undefined;
  }

  /** Main model, for surfaces that wrap it. */
  get main(): LanguageModel | undefined {
    return this.#host.main;
  }

  /** True if rails may create pseudonyms, which must be restored in released values. */
  get hasPseudonyms(): boolean {
    return (this.#hasPseudonyms ??= hasReversible(this.#host));
  }

  /** Returns true if the program defines a flow of that name. */
  hasFlow(flow: string): boolean {
    return this.#host.hasFlow(flow);
  }

  /** Names of the rails of each stage, in order, as configured. */
  railNames(stage: "input" | "output" | "retrieval"): readonly string[] {
    return this.#host.stages.config.settings.rails[stage].flows;
  }

  /** Returns true if rails of a stage are configured that are not in shadow. */
  hasVerdictRails(stage: "input" | "output" | "retrieval"): boolean {
    const { flows, shadow } = this.#host.stages.config.settings.rails[stage];
    return flows.length > shadow.length;
  }

  /** Names of the rails on calls or results of a tool that the call's options leave enabled. */
  toolRails(stage: ToolStage, tool: string, options: TurnOptions = {}): readonly string[] {
    return selectToolRails(this.#host.services, stage, tool, options);
  }

  /**
   * Opens the guarded conversation of one call; the caller closes it.
   *
   * @throws InputShapeError if the call selects a rail that the configuration does not list
   */
  open(options: TurnOptions = {}, observer?: CallObserver): GuardedConversation {
    const turn = this.#openTurn(options, observer?.tracer);
    return new GuardedConversation({
      host: this.#host,
      threads: this.#threads,
      turn,
      observer,
      refusals: this.#refusals,
      earlierReviews: this.#earlierReviews,
      hasPseudonyms: this.hasPseudonyms,
    });
  }

  async turn(messages: readonly TurnMessage[], options: TurnOptions = {}): Promise<TurnResult> {
    const conversation = this.open(options);
    try {
      return await conversation.turn(messages);
    } finally {
      conversation.close();
    }
  }

  /**
   * Opens a conversation event by event.
   *
   * @throws InputShapeError if the dialect has no event sessions
   */
  openSession(options: SessionOptions = {}): EventSession {
    return this.#host.openSession(options);
  }

  runFlow(
    flow: string,
    messages: readonly TurnMessage[],
    variables: Readonly<Record<string, unknown>>,
    options?: TurnOptions,
  ): Promise<FlowResult> {
    return this.#stage(options, (turn) => this.#host.runFlow(turn, flow, { history: messages, context: variables }));
  }

  canonicalForm(text: string, history: readonly TurnMessage[], options?: TurnOptions): Promise<CanonicalForm> {
    return this.#stage(options, (turn) => this.#host.canonicalForm(turn, text, history));
  }

  nextStep(intent: string, history: readonly TurnMessage[], options?: TurnOptions): Promise<NextStep> {
    return this.#stage(options, (turn) => this.#host.nextStep(turn, intent, history));
  }

  botMessage(
    intent: string,
    context: Readonly<Record<string, unknown>>,
    history: readonly TurnMessage[],
    options?: TurnOptions,
  ): Promise<BotUtterance> {
    return this.#stage(options, (turn) => this.#host.botMessage(turn, intent, { context, history }));
  }

  async #stage<Result>(options: TurnOptions = {}, work: (turn: Turn) => Promise<Result>): Promise<Result> {
    const turn = this.#openTurn(options);
    try {
      return await work(turn);
    } finally {
      turn.close();
    }
  }

  /** @throws InputShapeError if the call selects a rail that the configuration does not list */
  #openTurn(options: TurnOptions, tracer: CallTracer | undefined = this.#host.stages.tracer): Turn {
    const { stages } = this.#host;
    checkSelection(stages, options);
    const { limits, clock, onDecision } = stages;
    return new Turn({ options, limits, clock, onDecision, tracer });
  }
}
