import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { RailServices } from "../rails/services.js";
import type { TurnMessage } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { Turn } from "../turn/turn.js";
import type { EventSession, SessionOptions } from "./event-session.js";
import type { BotUtterance, CanonicalForm, FlowResult, NextStep } from "./dialog-results.js";
import type { StageInput } from "./stage-turn.js";

/** State of a conversation before a turn. */
export interface StoredTurn {
  /** Undefined for a conversation that begins. */
  readonly stored?: unknown;
  /** True if the caller keeps the new state. */
  readonly keep: boolean;
}

/** Result of a turn, and the state of the conversation after it. */
export interface TakenTurn {
  readonly result: TurnResult;
  readonly state: unknown;
}

/**
 * The part of a runtime that knows the language of the flows. Rails, turns, threads and surfaces know no dialect.
 */
export interface DialectHost {
  /** For rails inside a turn. */
  readonly services: RailServices;
  /** For stages without a turn around them: flows of the program that act as rails count as listed. */
  readonly stages: RailServices;
  readonly programHash: string;
  readonly warnings: readonly Diagnostic[];
  readonly hasDialog: boolean;
  readonly hasMain: boolean;
  /** True if a flow of the program checks the input inside the conversation. */
  readonly hasInputFlow: boolean;
  takeTurn(turn: Turn, messages: readonly TurnMessage[], conversation: StoredTurn): Promise<TakenTurn>;
  /** True if the stored conversation waits for the result of one of these tool calls. */
  awaits(stored: unknown, toolCallIds: readonly string[]): boolean;
  /** @throws InputShapeError in a dialect without event sessions */
  openSession(options: SessionOptions): EventSession;
  runFlow(
    turn: Turn,
    flow: string,
    messages: readonly TurnMessage[],
    variables: Readonly<Record<string, unknown>>,
  ): Promise<FlowResult>;
  canonicalForm(turn: Turn, text: string, history: readonly TurnMessage[]): Promise<CanonicalForm>;
  nextStep(turn: Turn, intent: string, history: readonly TurnMessage[]): Promise<NextStep>;
  botMessage(turn: Turn, intent: string, given: StageInput): Promise<BotUtterance>;
}
