import { readOwn } from "../../engine/variables.js";
import type { LiveInstance, Processing } from "./processing.js";

/** Stage and rail markers: for logs and for flows that name them, they disturb nobody. */
const MARKERS: ReadonlySet<string> = new Set(
  ["Input", "Output", "Retrieval", "ToolInput", "ToolOutput"].flatMap((stage) => [
    `Start${stage}Rails`,
    `${stage}RailsFinished`,
    `Start${stage}Rail`,
    `${stage}RailFinished`,
  ]),
);

/** What the pipeline does in the open: these drive or end the dialog, whoever causes them. */
const PUBLIC: ReadonlySet<string> = new Set([
  "UserIntent",
  "BotIntent",
  "UserMessage",
  "BotMessage",
  "StartUtteranceBotAction",
  "UtteranceUserActionFinished",
  "start_flow",
]);

/**
 * S-private events [D-03]: they reach users' flows that wait for that very type, and are nothing to the others. The
 * dialog's own events stay public even when a flow that replaces a stage emits them, or it could not steer the dialog.
 */
export function isPrivate({ event, origin }: Processing): boolean {
  if (MARKERS.has(event.type)) return true;
  if (origin.kind === "external" || origin.tier === "user") return false;
  return !PUBLIC.has(event.type) && !event.type.endsWith("Exception");
}

/**
 * Whether an unmatched event of one of the three standard types disturbs an instance (spec 9.2). The end of an action
 * disturbs users' flows when one of them asked for it; what the pipeline runs is known only to who waits for it.
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
