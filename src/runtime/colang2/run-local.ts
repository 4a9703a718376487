import type { GuardrailsEvent } from "../../engine/events.js";
import { launchAction } from "./dispatch-action.js";
import { launchToolRails } from "./tools/delegated-calls.js";
import type { LocalActions } from "./local-actions.js";
import { launchOutputRails, launchUtterance } from "./output-stage.js";
import type { Colang2Run, Colang2Services } from "./run.js";

/** All actions that are performed here for a run. */
export function localActions(services: Colang2Services, run: Colang2Run): LocalActions {
  return {
    launch: (request: GuardrailsEvent) => {
      switch (request.type) {
        case "StartRunOutputRailsAction":
          return launchOutputRails(services, run, request);
        case "StartUtteranceBotAction":
          return launchUtterance(services, run, request) ?? undefined;
        default:
          return launchAction(services, run, request) ?? launchToolRails(services, run, request);
      }
    },
  };
}
