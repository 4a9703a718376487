import type { EngineConversation, Round } from "../../colang2/engine/conversation.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { ActionRun } from "../action-context.js";

/** One run of a program: a conversation, or a rail in a state of its own. */
export interface Colang2Run extends ActionRun {
  readonly engine: EngineConversation;
  /** What happened before, for prompts and actions. */
  readonly past: () => readonly GuardrailsEvent[];
  /** What happened in this run, in the order in which the engine saw it. */
  readonly events: GuardrailsEvent[];
  /** Texts that output rails have passed, or that rails themselves said: they need no second look. */
  readonly released: Set<string>;
  /** It runs ahead of the verdict of the input rails: nothing that it does may be seen. */
  readonly isAhead?: boolean;
  /** What a rail on tools said when it refused the call of a tool. */
  toolRefusal?: string | undefined;
  /** All that came from the user's side in this call and was not heard before, as the rails left it: results of tools too. */
  heard?: () => readonly string[];
  /** Told of rounds that an action makes, which change the program while it runs. */
  noteRound?: (round: Round) => void;
}

/** What was said in a run so far. */
export function utterancesOf(events: readonly GuardrailsEvent[]): string[] {
  return events.flatMap(({ type, final_script: text }) =>
    type === "UtteranceBotActionFinished" && typeof text === "string" && text !== "" ? [text] : [],
  );
}
