import type { Value } from "../../../expressions/values/value.js";
import { readOwn } from "../../../expressions/values/value.js";
import { splitActionEvent } from "../../action-events.js";
import { problem } from "../values/evaluate-in.js";
import type { OutgoingRequest } from "../state/records.js";

/** The envelope of every event. */
const ENVELOPE = ["uid", "event_created_at", "source_uid"] as const;
/** Of actions: times, and what is said. */
const TEXTS = [
  "action_started_at",
  "action_updated_at",
  "action_finished_at",
  "script",
  "final_script",
  "interim_script",
  "final_transcript",
  "interim_transcript",
] as const;

/**
 * Whether an event may leave (spec 5.1). What a program does not say is completed by the host; what it says has to be right.
 *
 * @throws ExpressionError, which fails the flow that was about to send it (Q85)
 */
export function checkOutgoing({ name, payload }: OutgoingRequest): void {
  for (const field of ENVELOPE) requireText(name, field, readOwn(payload, field));
  const parts = splitActionEvent(name);
  if (parts === undefined) return;
  for (const field of TEXTS) requireText(name, field, readOwn(payload, field));
  if (parts.member !== "Finished") return;
  const success = readOwn(payload, "is_success");
  if (success === undefined) return;
  if (typeof success !== "boolean") throw problem(`\`is_success\` of \`${name}\` must be True or False`);
  const reason = readOwn(payload, "failure_reason");
  if (!success && typeof reason !== "string") {
    throw problem(`\`${name}\` of an action without success needs a \`failure_reason\` that is a text`);
  }
}

function requireText(name: string, field: string, value: Value | undefined): void {
  if (value === undefined || typeof value === "string") return;
  throw problem(`\`${field}\` of \`${name}\` must be a text`);
}
