import type { GuardrailsEvent } from "../engine/events.js";
import { assignContext, pastOf, readMessages } from "../turn/conversation.js";
import type { TurnMessage } from "../turn/options.js";
import type { Turn } from "../turn/turn.js";

/** Input of a dialog stage that runs on its own. */
export interface StageInput {
  readonly history: readonly TurnMessage[];
  readonly context: Readonly<Record<string, unknown>>;
  /** The user's text that the stage is about. */
  readonly userMessage?: string;
}

/** The turn of a stage that runs on its own, with the variables and the events before it. */
export interface StageTurn {
  readonly turn: Turn;
  readonly variables: Record<string, unknown>;
  readonly past: readonly GuardrailsEvent[];
}

/** Prepares a turn for one stage of the dialog on its own; the caller closes the turn. */
export function openStageTurn(turn: Turn, { history, context, userMessage }: StageInput): StageTurn {
  const input = readMessages(history);
  const variables: Record<string, unknown> = { ...turn.variables, ...input.context };
  assignContext(variables, turn.options.context);
  assignContext(variables, context);
  if (userMessage !== undefined)
    Object.assign(variables, { user_message: userMessage, last_user_message: userMessage });
  turn.userTexts = [...input.userTexts];
  turn.instructions = input.instructions;
  return { turn, variables, past: pastOf(input) };
}
