/** Longest name of an event; bounds the time that splitting takes. */
export const MAX_EVENT_NAME = 200;

const ACTION_NAME = /^(?!Start|Stop|Change)[\p{L}_][\p{L}\p{N}_]*Action$/u;
const ACTION_EVENT =
  /^(?:(Start|Stop|Change)([\p{L}_][\p{L}\p{N}_]*Action)|([\p{L}_][\p{L}\p{N}_]*?Action)(Started|Finished|[\p{L}\p{N}_]*Updated))$/u;

/** An event of an action: its name split into the action and what happens to it. */
export interface ActionEventName {
  readonly action: string;
  /** `Start`, `Stop`, `Change`, `Started`, `Finished`, `Updated` or `<Param>Updated`. */
  readonly member: string;
  readonly isRequest: boolean;
}

/**
 * Splits the name of an action event; undefined for every other event, also when its name contains `Action`.
 *
 * @example
 * ```ts
 * splitActionEvent("UtteranceBotActionScriptUpdated"); // { action: "UtteranceBotAction", member: "ScriptUpdated", isRequest: false }
 * splitActionEvent("ActionLogged"); // undefined
 * ```
 */
export function splitActionEvent(name: string): ActionEventName | undefined {
  const found = name.length > MAX_EVENT_NAME ? undefined : ACTION_EVENT.exec(name);
  if (!found) return undefined;
  const [, request, requested, action, member] = found;
  if (request !== undefined) return { action: requested ?? "", member: request, isRequest: true };
  return { action: action ?? "", member: member ?? "", isRequest: false };
}

/** Returns true if a name can be that of an action: it ends in `Action` and does not begin with `Start`, `Stop` or `Change`. */
export function isActionName(name: string): boolean {
  return ACTION_NAME.test(name);
}

/** The name of the event that is `member` of an action: `Start` stands in front, everything else behind. */
export function actionEventName(action: string, member: string): string {
  return member === "Start" || member === "Stop" || member === "Change" ? member + action : action + member;
}

/** The internal event that is `member` of a flow: `Finished` is `FlowFinished`, `Stop` is `StopFlow`. */
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
