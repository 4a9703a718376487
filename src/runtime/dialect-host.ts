import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { LanguageModel, ModelSet } from "../llm/model.js";
import type { RailServices } from "../rails/services.js";
import type { TurnMessage } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { Turn } from "../turn/turn.js";
import type { EventSession, SessionOptions } from "./event-session.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { assignContext, pastOf, readMessages } from "../turn/conversation.js";

/** State of a conversation before a turn. */
export interface StoredTurn {
  /** Undefined for a new conversation. */
  readonly stored?: unknown;
  /** True if the caller stores the new state. */
  readonly keep: boolean;
}

/** Result of a turn, and the new state of the conversation. */
export interface TakenTurn {
  readonly result: TurnResult;
  readonly state: unknown;
}

/**
 * The dialect-specific part of a runtime. Rails, turns, threads and surfaces are independent of dialects. The caller
 * closes the turns.
 */
export interface DialectHost {
  /** For rails inside a turn. */
  readonly services: RailServices;
  /** For stages outside of a turn: program flows that act as rails count as listed. */
  readonly stages: RailServices;
  readonly programHash: string;
  readonly warnings: readonly Diagnostic[];
  readonly hasDialog: boolean;
  readonly models: ModelSet;
  /** The main model; undefined without one. */
  readonly main: LanguageModel | undefined;
  /** True if a flow of the program checks the input inside the conversation. */
  readonly hasInputFlow: boolean;
  hasFlow(flow: string): boolean;
  takeTurn(turn: Turn, messages: readonly TurnMessage[], conversation: StoredTurn): Promise<TakenTurn>;
  /** Returns true if the stored conversation waits for the result of one of these tool calls. */
  awaits(stored: unknown, toolCallIds: readonly string[]): boolean;
  /** @throws InputShapeError in a dialect without event sessions */
  openSession(options: SessionOptions): EventSession;
  runFlow(turn: Turn, flow: string, stageInput: StageInput): Promise<FlowResult>;
  canonicalForm(turn: Turn, text: string, history: readonly TurnMessage[]): Promise<CanonicalForm>;
  nextStep(turn: Turn, intent: string, history: readonly TurnMessage[]): Promise<NextStep>;
  botMessage(turn: Turn, intent: string, stageInput: StageInput): Promise<BotUtterance>;
}

/** The three stages as values. */
export interface CanonicalForm {
  readonly intent: string;
  readonly score: number | null;
  readonly alternatives: readonly { readonly intent: string; readonly score: number }[];
  readonly source: "embeddings" | "llm";
}

export interface NextStep {
  /** The bot's canonical form; absent if a flow first runs an action or waits. */
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

/** Input of a dialog stage that runs on its own. */
export interface StageInput {
  readonly history: readonly TurnMessage[];
  readonly context: Readonly<Record<string, unknown>>;
  /** User text of the stage. */
  readonly userMessage?: string;
}

/** Prepares a turn for a single flow or stage, and returns its initial variables and events. */
export function openStageTurn(turn: Turn, { history, context, userMessage }: StageInput) {
  const input = readMessages(history);
  const variables: Record<string, unknown> = { ...turn.variables, ...input.context };
  assignContext(variables, turn.options.context);
  assignContext(variables, context);
  if (userMessage !== undefined)
    Object.assign(variables, { user_message: userMessage, last_user_message: userMessage });
  turn.userTexts = [...input.userTexts];
  turn.instructions = input.instructions;
  return { input, variables, past: pastOf(input) };
}
