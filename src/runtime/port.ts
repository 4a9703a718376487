import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { EventSession, SessionOptions } from "./event-session.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { TurnMessage, TurnOptions } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { ToolStage } from "../turn/decision.js";
import type { CallObserver, GuardedConversation } from "./guarded-conversation.js";

/** The three stages as values. */
export interface CanonicalForm {
  readonly intent: string;
  readonly score: number | null;
  readonly alternatives: readonly { readonly intent: string; readonly score: number }[];
  readonly source: "embeddings" | "llm";
}

export interface NextStep {
  /** The bot's canonical form; absent when a flow runs an action first, or waits. */
  readonly intent?: string;
  readonly action?: string;
  readonly source: "flow" | "llm";
  readonly flow?: string;
}

export interface BotUtterance {
  readonly text: string;
  readonly source: "predefined" | "variable" | "llm" | "generator";
}

export interface FlowResult {
  readonly messages: readonly { readonly role: "assistant"; readonly content: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly events: readonly GuardrailsEvent[];
  readonly status: "finished" | "waiting" | "stopped" | "failed";
}

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
