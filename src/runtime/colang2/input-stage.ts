import type { EventDraft } from "../../engine/events.js";
import { runRailsOfStage } from "../../rails/run-stage.js";
import type { SpeculationHooks } from "../speculation/run-concurrently.js";
import { fedEvents, type StageOutcome } from "../../turn/decision.js";
import { instantEvents } from "./host-loop.js";
import type { Colang2Run, Colang2Services } from "./run.js";

/** The listed input rails over what the user said. */
export function judgeInput(
  services: Colang2Services,
  run: Colang2Run,
  text: string,
  hooks: SpeculationHooks = {},
): Promise<StageOutcome> {
  const { turn, config, cancellation, past, engine } = run;
  const context = { ...engine.globals, user_message: text, last_user_message: text };
  return runRailsOfStage(services, { turn, stage: "input", context, config, cancellation, past, ...hooks });
}

/** Returns the events with which flows learn what the rails emitted. */
export function outcomeEvents(services: Colang2Services, { entries, blocked }: StageOutcome): EventDraft[] {
  return fedEvents(entries).flatMap((draft): EventDraft[] => {
    if (draft.type !== "StartUtteranceBotAction") return [draft];
    // A rail that failed speaks through the runtime.
    return blocked ? instantEvents("UtteranceBotAction", { ...draft, action_uid: services.events.ids.next() }) : [];
  });
}
