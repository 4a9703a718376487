import type { GuardrailsEvent } from "../engine/events.js";
import { assignContext, pastOf, readMessages } from "../turn/messages.js";
import type { TurnMessage, TurnOptions } from "../turn/options.js";
import type { RailServices } from "../rails/services.js";
import { Turn } from "../turn/turn.js";

/** What a stage of the dialog that runs on its own is asked about. */
export interface StageInput {
  readonly history: readonly TurnMessage[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: TurnOptions;
}

/** The turn of a stage that runs on its own, with the variables and the events before it. */
export interface StageTurn {
  readonly turn: Turn;
  readonly variables: Record<string, unknown>;
  readonly past: readonly GuardrailsEvent[];
}

/** Opens the turn of a stage that runs on its own; whoever opens it closes it. */
export function openStageTurn(services: RailServices, { history, context, options }: StageInput): StageTurn {
  const input = readMessages(history);
  const variables: Record<string, unknown> = { ...input.context };
  assignContext(variables, options.context);
  assignContext(variables, context);
  const { userTexts, instructions } = input;
  const { limits, clock } = services;
  const turn = new Turn({ options, limits, clock, userTexts, instructions });
  return { turn, variables, past: pastOf(input) };
}
