import { type EventDraft, type GuardrailsEvent, countingIds } from "../../engine/events.js";
import { type ConcurrentStage, runConcurrently } from "../speculation/run-concurrently.js";
import { type StageOutcome } from "../../turn/decision.js";
import { type Colang2Run, type Colang2Services, conversationRun, judgeInput, completeEvent } from "./run.js";
import { splitActionEvent } from "../../colang2/event-names.js";
import { EngineConversation } from "../../colang2/engine/conversation.js";
import { copyState } from "../../colang2/engine/state/copy.js";
import { selectRails } from "../../rails/plan.js";
import type { Turn } from "../../turn/turn.js";
import { launchAction } from "./dispatch-action.js";
import type { LocalAction, LocalActions } from "./local-actions.js";
import { openLoop } from "./stored-conversation.js";

/** A text under review by the input rails, and the continuation of the turn if they pass it. */
export interface JudgedText {
  readonly text: string;
  /** Returns the events for the flows, given the text as the rails left it and their variables. */
  readonly next: (text: string, updates: Readonly<Record<string, unknown>>) => readonly EventDraft[];
}

/**
 * Runs the listed input rails over the user's text. With `rails.input.speculative`, a copy of the conversation
 * continues concurrently as if they passed it, so that the next model calls start now.
 *
 * INVARIANT: the copy emits nothing and only performs actions that search and call models.
 */
export function judgeConcurrently(
  services: Colang2Services,
  run: Colang2Run,
  judged: JudgedText,
): Promise<StageOutcome> {
  const speculate = async (turn: Turn, context: Readonly<Record<string, unknown>>): Promise<void> => {
    const copy = copyRun(run, turn);
    const source = { ...services.events, ids: countingIds("ahead") };
    const complete = (draft: EventDraft): GuardrailsEvent => completeEvent(draft, source);
    const loop = openLoop(services, copy, { local: askingActions(services, copy), complete });
    const before = run.engine.globals;
    const changes = Object.entries(context).filter(([name, value]) => !isSame(before[name], value));
    const events = judged.next(turn.userTexts.at(-1) ?? judged.text, Object.fromEntries(changes)).map(complete);
    try {
      await loop.run(events, { signal: turn.cancellation, blocking: true, goesOn: true });
    } finally {
      loop.close();
    }
  };
  const stage: ConcurrentStage["stage"] = (hooks) => judgeInput(services, run, judged.text, hooks);
  return runConcurrently(services, { turn: run.turn, stage, speculate });
}

/** Copies the conversation, since the engine mutates its state. */
function copyRun(run: Colang2Run, turn: Turn): Colang2Run {
  return {
    ...conversationRun(turn, new EngineConversation(copyState(run.engine.state)), run.past),
    isSpeculative: true,
    ...(run.userSide === undefined ? {} : { userSide: run.userSide }),
    config: run.config,
    events: [...run.events],
    released: new Set(run.released),
  };
}

function isSame(before: unknown, after: unknown): boolean {
  return Object.is(before, after) || (typeof after === "object" && JSON.stringify(before) === JSON.stringify(after));
}

/**
 * Performs actions that only search and call models. All others stay pending, and so do the flows that wait for them.
 */
function askingActions(services: Colang2Services, copy: Colang2Run): LocalActions {
  const held: LocalAction = { done: new Promise(() => undefined), stop: () => undefined };
  const outputRails = selectRails(services, copy.turn.options, "output").length > 0;
  return {
    launch: (request: GuardrailsEvent) => {
      const name = splitActionEvent(request.type)?.action ?? "";
      if (name === "RunOutputRailsAction") return held;
      // If output rails review utterances, the continuation depends on their verdict.
      if (name === "UtteranceBotAction")
        return outputRails && !copy.released.has(String(request["script"])) ? held : undefined;
      if (!services.registry.resolve(name).found) return undefined;
      return services.askingActions.has(name) ? launchAction(services, copy, request) : held;
    },
  };
}
