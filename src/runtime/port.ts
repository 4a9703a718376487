import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { EventSession, SessionOptions } from "./event-session.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { RailDecision } from "../turn/decision.js";
import type { TurnMessage, TurnOptions } from "../turn/options.js";
import type { RailSubject, StageResult, TurnResult } from "../turn/result.js";
import type { ToolStage } from "../turn/stages.js";
import type { ToolCheck } from "../rails/tools/tool-check.js";
import type { ToolSubject } from "../rails/tools/tool-subject.js";
import type { StageReview } from "../rails/stage-check.js";

export type { StageReview };

/** The three stages as values (`langchain.md` A2). */
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
  /** Whether user intents or dialog flows exist, so that a turn is more than rails around a call. */
  readonly hasDialog: boolean;
  readonly hasMain: boolean;
  /** Names of the rails of each stage, in order, as configured. */
  railNames(stage: "input" | "output" | "retrieval"): readonly string[];
  /** Whether a question may be asked while its input rails still run: the settings want it, and no rail may rewrite it. */
  asksAhead(options: TurnOptions): boolean;
  turn(messages: readonly TurnMessage[], options?: TurnOptions): Promise<TurnResult>;
  runStage(stage: "input" | "output" | "retrieval", subject: RailSubject, options?: TurnOptions): Promise<StageResult>;
  /** Names of the rails on the calls or the results of a tool, as far as the call's options leave them on. */
  toolRails(stage: ToolStage, tool: string, options?: TurnOptions): readonly string[];
  checkTool(stage: ToolStage, subject: ToolSubject, options?: TurnOptions): Promise<ToolCheck>;
  /** The output rails over an answer that is still being made, part by part. */
  openReview(subject: RailSubject, options?: TurnOptions): StageReview;
  /** Whether the kept conversation of a call waits for the result of one of these calls of tools. */
  awaitsResult(toolCallIds: readonly string[], options?: TurnOptions): Promise<boolean>;
  /**
   * A conversation event by event.
   *
   * @throws InputShapeError where the language has none
   */
  openSession(options?: SessionOptions): EventSession;
  runRail(reference: string, subject: RailSubject, options?: TurnOptions): Promise<RailDecision>;
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
