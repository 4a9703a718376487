import { createMap, isMap, type Value } from "../../../../expressions/values/value.js";
import { type ActionEventName, actionEventName, splitActionEvent } from "../../../event-names.js";
import type { ActionRequestName, ElementArgument, EventRequest } from "../../../requests.js";
import { createUnownedAction, isRunning } from "../../actions/actions.js";
import { copyValue } from "../../values/plain-values.js";
import { evaluateNamed, problem } from "../../values/evaluate-in.js";
import { NO_VALUES } from "../../state/event.js";
import type { ActionRecord, FlowInstance, OutgoingRequest, ValueRecord } from "../../state/records.js";
import { nextUid, type EngineState } from "../../state/state.js";
import { freeze } from "./value-steps.js";

/** The event that a program sends by its name. */
export function externalRequest(state: EngineState, instance: FlowInstance, request: EventRequest): OutgoingRequest {
  const { action_uid: uid, ...rest } = evaluateNamed(state, instance, request.arguments, "an event");
  const payload = freeze(state, rest);
  const named = splitActionEvent(request.name);
  if (named === undefined) {
    if (uid !== undefined) payload["action_uid"] = copyValue(uid, state.work);
    return { name: request.name, payload, action: undefined, request: undefined };
  }
  const isRequest = named.member === "Start" || named.member === "Stop" || named.member === "Change";
  return {
    name: request.name,
    payload,
    action: sentAction(state, { ...named, name: request.name, uid, payload }).id,
    request: isRequest ? (named.member as ActionRequestName) : undefined,
    ...(typeof uid === "string" ? { uid } : {}),
  };
}

/**
 * The action of an event that a program sends by its name: the one that has the identifier, or else one that belongs to no
 * flow and so is never stopped with it.
 */
function sentAction(
  state: EngineState,
  sent: ActionEventName & { readonly name: string; readonly uid: Value | undefined; readonly payload: ValueRecord },
): ActionRecord {
  const { name, uid, member } = sent;
  const startArguments = member === "Start" ? sent.payload : NO_VALUES;
  if (uid === undefined) {
    if (member === "Stop" || member === "Change") throw problem(`\`${name}\` needs the \`action_uid\` of an action`);
    return createUnownedAction(state, nextUid(state), sent.action, { startArguments });
  }
  if (typeof uid !== "string" || uid === "") throw problem(`\`action_uid\` of \`${name}\` must be a text`);
  const known = state.index.actions.get(uid);
  if (known?.name === sent.action) return known;
  return createUnownedAction(state, uid, sent.action, { startArguments, isOwn: member === "Start" });
}

/** A request to one action; none if it does not run. */
export function actionRequest(
  state: EngineState,
  instance: FlowInstance,
  action: ActionRecord,
  { request, arguments: list }: { readonly request: ActionRequestName; readonly arguments: readonly ElementArgument[] },
): OutgoingRequest[] {
  const name = actionEventName(action.name, request);
  if (request === "Start") return [{ name, payload: action.startArguments, action: action.id, request }];
  // Only an action that runs can be stopped or changed.
  if (!isRunning(action)) return [];
  const { arguments: changes, ...rest } = evaluateNamed(state, instance, list, "an action");
  const given = Object.assign(createMap(), changes !== undefined && isMap(changes) ? changes : {}, rest);
  if (changes !== undefined && !isMap(changes)) given["arguments"] = changes;
  return [{ name, payload: freeze(state, given), action: action.id, request }];
}

/** Fields that must be texts: the envelope of every event. */
const ENVELOPE = ["uid", "event_created_at", "source_uid"] as const;

/** Fields that must be texts in events of actions: times and utterances. */
const ACTION_TEXTS = [
  ...ENVELOPE,
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
 * Checks the fields of an event that is about to be sent. The host completes fields that are missing.
 *
 * @throws ExpressionError, which fails the flow that was about to send it
 */
export function checkOutgoing({ name, payload }: OutgoingRequest): void {
  const parts = splitActionEvent(name);
  for (const field of parts === undefined ? ENVELOPE : ACTION_TEXTS) {
    const value = payload[field];
    if (value !== undefined && typeof value !== "string") throw problem(`\`${field}\` of \`${name}\` must be a text`);
  }
  if (parts?.member !== "Finished") return;
  const success = payload["is_success"];
  if (success === undefined) return;
  if (typeof success !== "boolean") throw problem(`\`is_success\` of \`${name}\` must be True or False`);
  const reason = payload["failure_reason"];
  if (!success && typeof reason !== "string") {
    throw problem(`\`${name}\` of an action without success needs a \`failure_reason\` that is a text`);
  }
}
