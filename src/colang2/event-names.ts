import { isLifecycleMember } from "./parse/reserved-words.js";

/** Maximum length of an event name, which bounds the time of splitting. */
export const MAX_EVENT_NAME = 200;

const ACTION_NAME = /^(?!Start|Stop|Change)[\p{L}_][\p{L}\p{N}_]*Action$/u;
const ACTION_EVENT =
  /^(?:(Start|Stop|Change)([\p{L}_][\p{L}\p{N}_]*Action)|([\p{L}_][\p{L}\p{N}_]*?Action)(Started|Finished|[\p{L}\p{N}_]*Updated))$/u;

/** An action event: its name split into the action and the stage. */
export interface ActionEventName {
  readonly action: string;
  /** `Start`, `Stop`, `Change`, `Started`, `Finished`, `Updated` or `<Param>Updated`. */
  readonly member: string;
  readonly isRequest: boolean;
}

/**
 * Splits the name of an action event; undefined for all other events, even if the name contains `Action`.
 *
 * @example
 * ```ts
 * splitActionEvent("UtteranceBotActionScriptUpdated"); // { action: "UtteranceBotAction", member: "ScriptUpdated", isRequest: false }
 * splitActionEvent("ActionLogged"); // undefined
 * ```
 */
export function splitActionEvent(name: string): ActionEventName | undefined {
  const known = SPLIT_NAMES.get(name);
  if (known !== undefined) return known === NO_ACTION_EVENT ? undefined : known;
  const split = splitName(name);
  if (SPLIT_NAMES.size < MAX_SPLIT_NAMES) SPLIT_NAMES.set(name, split ?? NO_ACTION_EVENT);
  return split;
}

/** Cache of split names: an event is queried several times, and a program has few. */
const SPLIT_NAMES = new Map<string, ActionEventName>();
const MAX_SPLIT_NAMES = 1000;
const NO_ACTION_EVENT: ActionEventName = { action: "", member: "", isRequest: false };

function splitName(name: string): ActionEventName | undefined {
  const found = name.length > MAX_EVENT_NAME ? undefined : ACTION_EVENT.exec(name);
  if (!found) return undefined;
  const [, request, requested, action, member] = found;
  if (request !== undefined) return { action: requested ?? "", member: request, isRequest: true };
  return { action: action ?? "", member: member ?? "", isRequest: false };
}

/** Returns true for a valid action name: it ends in `Action` and does not begin with `Start`, `Stop` or `Change`. */
function isActionName(name: string): boolean {
  return ACTION_NAME.test(name);
}

/** Events of every action; others name an updated parameter: `ScriptUpdated`. */
export const ACTION_MEMBERS: ReadonlySet<string> = new Set([
  "Start",
  "Started",
  "Updated",
  "Finished",
  "Stop",
  "Change",
]);

/** Returns true if actions have an event of that name. */
export function isActionMember(name: string): boolean {
  return ACTION_MEMBERS.has(name) || (name.endsWith("Updated") && isLifecycleMember(name));
}

/** Name of the event `member` of an action: `Start` is a prefix, everything else a suffix. */
export function actionEventName(action: string, member: string): string {
  return member === "Start" || member === "Stop" || member === "Change" ? member + action : action + member;
}

/** Name of the internal event `member` of a flow: `FlowFinished` for `Finished`, `StopFlow` for `Stop`. */
export function flowEventName(member: string): string | undefined {
  return FLOW_MEMBERS.get(member);
}

const FLOW_MEMBERS: ReadonlyMap<string, string> = new Map([
  ["Start", "StartFlow"],
  ["Stop", "StopFlow"],
  ["Finish", "FinishFlow"],
  ["Pause", "PauseFlow"],
  ["Resume", "ResumeFlow"],
  ["Started", "FlowStarted"],
  ["Finished", "FlowFinished"],
  ["Failed", "FlowFailed"],
  ["Paused", "FlowPaused"],
  ["Resumed", "FlowResumed"],
]);

/** The internal events with the names of their own fields. All other arguments are the user part. */
const FIELDS = {
  StartFlow: [
    "flow_id",
    "flow_instance_uid",
    "source_flow_instance_uid",
    "source_head_uid",
    "hierarchy",
    "activate",
    "share_context",
  ],
  FlowStarted: ["flow_id", "flow_instance_uid", "source_flow_instance_uid"],
  FlowFinished: ["flow_id", "flow_instance_uid", "source_flow_instance_uid", "return_value"],
  FlowFailed: ["flow_id", "flow_instance_uid", "source_flow_instance_uid", "reason", "error"],
  FlowPaused: ["flow_id", "flow_instance_uid", "source_flow_instance_uid", "reason"],
  FlowResumed: ["flow_id", "flow_instance_uid", "source_flow_instance_uid", "reason"],
  FinishFlow: ["flow_id", "flow_instance_uid", "deactivate", "return_value", "context_update"],
  StopFlow: ["flow_id", "flow_instance_uid", "deactivate", "context_update"],
  PauseFlow: ["flow_id", "flow_instance_uid"],
  ResumeFlow: ["flow_id", "flow_instance_uid"],
  UnhandledEvent: ["event", "loop_ids"],
  UserIntentLog: ["flow_id", "parameter"],
  BotIntentLog: ["flow_id", "parameter"],
  UserActionLog: ["flow_id", "parameter", "intent_flow_id"],
  BotActionLog: ["flow_id", "parameter", "intent_flow_id"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type InternalEventName = keyof typeof FIELDS;

const FIELD_SETS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(FIELDS).map(([name, fields]) => [name, new Set<string>(fields)]),
);

/** Returns true for the name of an internal event. */
export function isInternalEvent(name: string): name is InternalEventName {
  return FIELD_SETS.has(name);
}

export const INTERNAL_EVENT_NAMES: ReadonlySet<string> = new Set(FIELD_SETS.keys());

/**
 * Returns true if an argument of an internal event names one of its fields and not the user part.
 *
 * @example
 * ```ts
 * isInternalField("FlowFinished", "return_value"); // true
 * isInternalField("FlowFinished", "item"); // false
 * ```
 */
export function isInternalField(event: string, name: string): boolean {
  return FIELD_SETS.get(event)?.has(name) ?? false;
}

/** The channel of an action, and the policy of the action server when two actions use it. */
interface Modality {
  readonly modality: string;
  readonly policy: "parallel" | "override" | "replace";
}

const MODALITIES: ReadonlyMap<string, Modality> = new Map([
  ["UtteranceUserAction", { modality: "user_speech", policy: "replace" }],
  ["UtteranceBotAction", { modality: "bot_speech", policy: "replace" }],
  ["GestureUserAction", { modality: "user_gesture", policy: "parallel" }],
  ["GestureBotAction", { modality: "bot_gesture", policy: "override" }],
  ["FacialGestureUserAction", { modality: "user_face", policy: "replace" }],
  ["FacialGestureBotAction", { modality: "bot_face", policy: "replace" }],
  ["PostureBotAction", { modality: "bot_posture", policy: "override" }],
  ["PositionBotAction", { modality: "bot_position", policy: "override" }],
  ["PresenceUserAction", { modality: "user_presence", policy: "parallel" }],
  ["AttentionUserAction", { modality: "user_engagement", policy: "parallel" }],
  ["VisualInformationSceneAction", { modality: "information", policy: "override" }],
  ["VisualChoiceSceneAction", { modality: "information", policy: "override" }],
  ["VisualFormSceneAction", { modality: "information", policy: "override" }],
  ["ShotCameraAction", { modality: "camera_shot", policy: "override" }],
  ["MotionEffectCameraAction", { modality: "camera_motion_effect", policy: "override" }],
  ["TimerBotAction", { modality: "time", policy: "parallel" }],
]);

/** Returns the modality of a standard action; undefined for all others, which compete with all actions. */
export function modalityOf(action: string): Modality | undefined {
  return MODALITIES.get(action);
}

type CalleeKind = "flow" | "action" | "event";

const UPPER = /^\p{Lu}/u;

/**
 * Classifies a name, given all flow names of the program.
 *
 * @example
 * ```ts
 * classifyName("LampAction", new Set()); // "action"
 * classifyName("Greet VIP", new Set()); // "flow"
 * classifyName("StartLampAction", new Set()); // "event"
 * ```
 */
export function classifyName(name: string, flows: { has(name: string): boolean }): CalleeKind {
  if (flows.has(name) || name.includes(" ") || !UPPER.test(name)) return "flow";
  return isActionName(name) ? "action" : "event";
}
