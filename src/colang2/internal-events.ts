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
