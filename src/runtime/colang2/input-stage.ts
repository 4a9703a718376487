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

/** A text that the input rails judge, and what the turn goes on with when they let it pass. */
export interface JudgedText {
  readonly text: string;
  /** Returns the events for the flows, given the text as the rails left it and the variables they set. */
  readonly next: (text: string, updates: Readonly<Record<string, unknown>>) => readonly EventDraft[];
}

/**
 * The listed input rails over what the user said. With `rails.input.speculative` a copy of the conversation goes on beside
 * them as if they had let the text pass, so that the calls which the turn would make next begin now.
 *
 * INVARIANT: the copy emits nothing, and of actions it performs only those that look things up and ask models.
 */
export function judgeConcurrently(
  services: Colang2Services,
  run: Colang2Run,
  judged: JudgedText,
): Promise<StageOutcome> {
  const ahead = async (turn: Turn, context: Readonly<Record<string, unknown>>): Promise<void> => {
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
  return runConcurrently(services, { turn: run.turn, stage, ahead });
}

/** The same conversation once more, for the engine changes its state in place. */
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

/** Performs actions that only search and ask models. All others stay pending, and so do the flows that wait for them. */
function askingActions(services: Colang2Services, copy: Colang2Run): LocalActions {
  const held: LocalAction = { done: new Promise(() => undefined), stop: () => undefined };
  const outputRails = selectRails(services, copy.turn.options, "output").length > 0;
  return {
    launch: (request: GuardrailsEvent) => {
      const name = splitActionEvent(request.type)?.action ?? "";
      if (name === "RunOutputRailsAction") return held;
      // If output rails review what is said, the continuation depends on their verdict.
      if (name === "UtteranceBotAction")
        return outputRails && !copy.released.has(String(request["script"])) ? held : undefined;
      if (!services.registry.resolve(name).found) return undefined;
      return services.askingActions.has(name) ? launchAction(services, copy, request) : held;
    },
  };
}
