import { readOwn } from "../../engine/variables.js";
import type { LiveInstance, Processing } from "./processing.js";

/** Stage and rail markers: for logs and for flows that name them; they disturb no other flow. */
const MARKERS: ReadonlySet<string> = new Set(
  ["Input", "Output", "Retrieval", "ToolInput", "ToolOutput"].flatMap((stage) => [
    `Start${stage}Rails`,
    `${stage}RailsFinished`,
    `Start${stage}Rail`,
    `${stage}RailFinished`,
  ]),
);

/** Events that drive or end the dialog, also when the pipeline causes them. */
const PUBLIC: ReadonlySet<string> = new Set(
  "UserIntent BotIntent UserMessage BotMessage StartUtteranceBotAction UtteranceUserActionFinished start_flow".split(
    " ",
  ),
);

/**
 * Returns true for private events of system flows: they reach users' flows that wait for that very type, and no others. The
 * dialog's own events stay public even when a flow that replaces a stage emits them, or it could not steer the dialog.
 */
export function isPrivate({ event, origin }: Processing): boolean {
  if (MARKERS.has(event.type)) return true;
  if (origin.kind === "external" || origin.tier === "user") return false;
  return !PUBLIC.has(event.type) && !event.type.endsWith("Exception");
}

/**
 * Returns true if an unmatched event of one of the three standard types disturbs an instance. The end of an action disturbs
 * users' flows when one of them requested it; actions of the pipeline concern only the flows that wait for them.
 */
export function disturbs(work: Processing, instance: LiveInstance, isOwnResult: boolean): boolean {
  switch (work.event.type) {
    case "UserIntent":
    case "BotIntent":
      return true;
    case "InternalSystemActionFinished": {
      if (isOwnResult) return true;
      const uid = readOwn(work.event, "action_uid");
      const requested = work.state.running.find((action) => action.uid === uid);
      return requested?.tier === "user" && instance.tier === "user";
    }
    default:
      return false;
  }
}
