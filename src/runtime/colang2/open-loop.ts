import type { GuardrailsEvent } from "../../engine/events.js";
import { launchAction } from "./dispatch-action.js";
import { launchToolRails } from "./tools/tool-calls.js";
import type { LocalActions } from "./local-actions.js";
import { launchOutputRails, launchUtterance } from "./output-stage.js";
import type { Colang2Run, Colang2Services } from "./run.js";
import { completeEvent } from "./complete-event.js";
import { HostLoop, type HostLoopOptions } from "./host-loop.js";

/** Opens the event loop of a run: it performs the actions of this process and writes down every event. */
export function openLoop(services: Colang2Services, run: Colang2Run, options: Partial<HostLoopOptions> = {}): HostLoop {
  const loop = new HostLoop({
    engine: run.engine,
    local: localActions(services, run),
    instantActions: services.instantActions,
    maxEvents: services.limits.eventsPerTurn,
    complete: (draft) => completeEvent(draft, services.events),
    onEvent: (event) => run.events.push(event),
    ...options,
  });
  run.noteRound = (round) => loop.noteRound(round);
  return loop;
}

/** Returns everything that this process performs for a run. */
export function localActions(services: Colang2Services, run: Colang2Run): LocalActions {
  return {
    launch: (request: GuardrailsEvent) => {
      switch (request.type) {
        case "StartRunOutputRailsAction":
          return launchOutputRails(services, run, request);
        case "StartUtteranceBotAction":
          return launchUtterance(services, run, request);
        default:
          return launchAction(services, run, request) ?? launchToolRails(services, run, request);
      }
    },
  };
}
