import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { EventSession, SessionOptions } from "./event-session.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { TurnMessage, TurnOptions } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { ToolStage } from "../turn/decision.js";
import type { CallObserver, GuardedConversation } from "./guarded-conversation.js";
import type { FlowResult, CanonicalForm, NextStep, BotUtterance } from "./dialect-host.js";

/** The guardrails runtime as the LangChain surface uses it. Stateless apart from its thread store. */
export interface Runtime {
  readonly config: RailsConfig;
  readonly warnings: readonly Diagnostic[];
  /** True if user intents or dialog flows exist, so that a turn is more than rails around a call. */
  readonly hasDialog: boolean;
  readonly hasMain: boolean;
  /** Names of the rails of each stage, in order, as configured. */
  railNames(stage: "input" | "output" | "retrieval"): readonly string[];
  turn(messages: readonly TurnMessage[], options?: TurnOptions): Promise<TurnResult>;
  /** Names of the rails on the calls or the results of a tool, as far as the call's options leave them on. */
  toolRails(stage: ToolStage, tool: string, options?: TurnOptions): readonly string[];
  /**
   * Opens the guarded conversation of one call; the caller closes it.
   *
   * @throws InputShapeError when the call selects a rail that the configuration does not list
   */
  open(options?: TurnOptions, observer?: CallObserver): GuardedConversation;
  /**
   * A conversation event by event.
   *
   * @throws InputShapeError where the language has none
   */
  openSession(options?: SessionOptions): EventSession;
  runFlow(
    flow: string,
    messages: readonly TurnMessage[],
    variables: Readonly<Record<string, unknown>>,
    options?: TurnOptions,
  ): Promise<FlowResult>;
  canonicalForm(text: string, history: readonly TurnMessage[], options?: TurnOptions): Promise<CanonicalForm>;
  nextStep(intent: string, history: readonly TurnMessage[], options?: TurnOptions): Promise<NextStep>;
  botMessage(
    intent: string,
    context: Readonly<Record<string, unknown>>,
    history: readonly TurnMessage[],
    options?: TurnOptions,
  ): Promise<BotUtterance>;
}
