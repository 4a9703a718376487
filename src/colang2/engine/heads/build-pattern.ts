import { createMap, isMap, readOwn, type Value } from "../../../expressions/values/value.js";
import {
  actionEventName,
  flowEventName,
  isActionMember,
  splitActionEvent,
  isInternalEvent,
  isInternalField,
} from "../../event-names.js";
import type { ElementArgument, Pattern, ReferencePattern, ElementOf } from "../../elements.js";
import { nameFilter } from "../flows/start-flow.js";
import { evaluateArguments, evaluateIn, evaluateNamed, problem, readVariable } from "../values/evaluate-in.js";
import { ActionReference, EventReference, FlowReference } from "../state/references.js";
import { NO_VALUES } from "../state/event.js";
import type { Constraint, FlowInstance, ReadyPattern, ValueRecord } from "../state/records.js";
import type { EngineState } from "../state/state.js";
import type { Move, Step } from "./steps/move.js";

/**
 * INVARIANT: all patterns have the same fields in the same order, which makes them fast to read and equal when stored.
 */
function readyPattern(parts: Partial<ReadyPattern> & Pick<ReadyPattern, "names">): ReadyPattern {
  return {
    names: parts.names,
    bound: parts.bound,
    flowId: parts.flowId,
    fields: parts.fields ?? NO_CONSTRAINTS,
    constraints: parts.constraints ?? NO_CONSTRAINTS,
    startArguments: parts.startArguments,
    impossibleBy: parts.impossibleBy ?? NO_NAMES,
    isOnce: parts.isOnce ?? false,
  };
}

const NO_CONSTRAINTS: readonly Constraint[] = [];
const NO_NAMES: readonly string[] = [];

/**
 * Evaluates a pattern completely.
 *
 * @throws ExpressionError or LimitError, which fails the flow
 */
export function buildPattern(state: EngineState, instance: FlowInstance, pattern: Pattern): ReadyPattern {
  switch (pattern.form) {
    case "event":
      return eventPattern(pattern.name, evaluateNamed(state, instance, pattern.arguments, "an event"));
    case "action": {
      const start = evaluateNamed(state, instance, pattern.startArguments, "an action");
      return readyPattern({
        names: [pattern.event],
        constraints: pairsOf(evaluateNamed(state, instance, pattern.arguments, "an event")),
        startArguments: Object.keys(start).length === 0 ? undefined : pairsOf(start),
      });
    }
    case "flow": {
      const given = nameFilter(
        state.definitions.get(pattern.flow),
        evaluateArguments(state, instance, pattern.flowArguments),
      );
      const named = evaluateFlowArguments(state, instance, pattern.event, pattern.arguments);
      const split = splitInternal(pattern.event, named);
      return readyPattern({
        names: [pattern.event],
        flowId: pattern.flow,
        fields: split.fields,
        constraints: [...pairsOf(given), ...split.constraints],
      });
    }
    case "reference":
      return referencePattern(state, instance, pattern);
    case "activated": {
      const reference = readVariable(state, instance, pattern.variable);
      if (!(reference instanceof FlowReference)) throw problem(`\`$${pattern.variable}\` is not a reference to a flow`);
      return readyPattern({
        names: ["FlowStarted", "FlowFailed"],
        bound: { kind: "flow", uid: reference.uid },
      });
    }
  }
}

function eventPattern(name: string, named: Readonly<Record<string, Value>>): ReadyPattern {
  if (!isInternalEvent(name)) return readyPattern({ names: [name], constraints: pairsOf(named) });
  return readyPattern({ names: [name], ...splitInternal(name, named) });
}

/** Names of fields refer to fields, all others to the user part; `arguments` always provides the user part. */
export function splitInternal(
  event: string,
  named: ValueRecord,
): { readonly fields: readonly Constraint[]; readonly constraints: readonly Constraint[] } {
  const fields: Constraint[] = [];
  const constraints: Constraint[] = [];
  for (const [name, value] of pairsOf(named)) {
    if (isInternalField(event, name)) fields.push([name, value]);
    else if (name === "arguments" && isMap(value)) {
      for (const key of Object.keys(value)) constraints.push([key, readOwn(value, key) ?? null]);
    } else constraints.push([name, value]);
  }
  return { fields, constraints };
}

/** Arguments of an event of a flow, or of a request to one; some take one positional argument. */
export function evaluateFlowArguments(
  state: EngineState,
  instance: FlowInstance,
  event: string,
  list: readonly ElementArgument[],
): ValueRecord {
  if (list.length === 0) return NO_VALUES;
  const { positional, named } = evaluateArguments(state, instance, list);
  const [only, ...others] = positional;
  if (only === undefined) return named;
  const field = POSITIONAL.get(event);
  if (field === undefined || others.length > 0) throw problem(`\`${event}\` takes only named arguments`);
  return Object.assign(createMap(), named, { [field]: only });
}

const POSITIONAL: ReadonlyMap<string, string> = new Map([
  ["FlowFinished", "return_value"],
  ["FinishFlow", "return_value"],
  ["FlowFailed", "reason"],
]);

function referencePattern(state: EngineState, instance: FlowInstance, pattern: ReferencePattern): ReadyPattern {
  const value = evaluateIn(state, instance, pattern.value);
  const { member, arguments: given } = pattern;
  if (value instanceof FlowReference && member !== undefined) {
    const event = FLOW_EVENTS.get(member);
    if (event === undefined) throw problem(`a flow has no event \`${member}\``);
    const { name } = event;
    const isPlain = given.length === 0;
    const asked = isPlain ? undefined : splitInternal(name, evaluateFlowArguments(state, instance, name, given));
    return {
      names: event.names,
      bound: { kind: "flow", uid: value.target.uid },
      flowId: undefined,
      fields: asked?.fields ?? NO_CONSTRAINTS,
      constraints: asked?.constraints ?? NO_CONSTRAINTS,
      startArguments: undefined,
      impossibleBy: event.impossibleBy,
      isOnce: event.isOnce,
    };
  }
  if (value instanceof ActionReference && member !== undefined) {
    if (!isActionMember(member)) throw problem(`an action has no event \`${member}\``);
    const { action } = value;
    const named = evaluateNamed(state, instance, given, "an event");
    return readyPattern({
      names: [actionEventName(action.name, member)],
      bound: { kind: "action", uid: action.uid },
      constraints: pairsOf(named),
      impossibleBy: member === "Started" || member.endsWith("Updated") ? [`${action.name}Finished`] : [],
      isOnce: member === "Started" || member === "Finished",
    });
  }
  if (value instanceof EventReference && member === undefined) {
    return sameEventPattern(value, evaluateNamed(state, instance, given, "an event"));
  }
  throw problem(
    member === undefined ? "only an event can be matched like this" : `nothing here has an event \`${member}\``,
  );
}

/** `match $e`: an event of the same name, action and payload. */
function sameEventPattern({ event }: EventReference, named: Readonly<Record<string, Value>>): ReadyPattern {
  const all = Object.assign(createMap(), event.payload, named);
  if (event.isInternal)
    return readyPattern({ names: [event.name], fields: pairsOf(event.fields), constraints: pairsOf(all) });
  const uid = event.meta["action_uid"];
  const isOfAction = typeof uid === "string" && splitActionEvent(event.name) !== undefined;
  return readyPattern({
    names: [event.name],
    ...(isOfAction ? { bound: { kind: "action" as const, uid } } : {}),
    constraints: pairsOf(all),
  });
}

/** The events of a flow instance, by the member that a program names. */
const FLOW_EVENTS: ReadonlyMap<string, FlowEvent> = new Map(
  Object.entries({
    Start: [],
    Stop: [],
    Finish: [],
    Pause: [],
    Resume: [],
    Started: ["FlowFinished", "FlowFailed"],
    Finished: ["FlowFailed"],
    Failed: ["FlowFinished"],
    Paused: ["FlowFinished", "FlowFailed"],
    Resumed: ["FlowFinished", "FlowFailed"],
  }).map(([member, impossibleBy]) => {
    const name = flowEventName(member) ?? "";
    const isOnce = ["FlowStarted", "FlowFinished", "FlowFailed"].includes(name);
    return [member, { name, names: [name], impossibleBy, isOnce }];
  }),
);

interface FlowEvent extends Pick<ReadyPattern, "names" | "impossibleBy" | "isOnce"> {
  readonly name: string;
}

function pairsOf(record: Readonly<Record<string, Value>>): readonly Constraint[] {
  if (record === NO_VALUES) return NO_CONSTRAINTS;
  return Object.keys(record).map((name) => [name, record[name] ?? null] as const);
}

/** Makes a head wait for the events that its pattern matches. */
export function wait({ state, instance, head, element }: Step<ElementOf<"Wait">>): Move {
  const { pattern } = element;
  head.pattern =
    pattern.form === "reference" ? referencePattern(state, instance, pattern) : buildPattern(state, instance, pattern);
  head.waits = element.quiet ? "quiet" : "open";
  if (!element.quiet) instance.hasWaited = true;
  state.index.addWait(head, element.reads.length === 0 ? [] : globalsReadBy(element, instance), false);
  const { bound, isOnce } = head.pattern;
  const isLate = bound?.kind === "flow" && isOnce && !element.quiet && !state.data.flows.has(bound.uid);
  if (isLate) warnOfEnd(state, instance, head.pattern);
  return "wait";
}

/** Names of the global variables that the pattern of a wait reads. */
export function globalsReadBy({ reads }: ElementOf<"Wait">, { globalNames }: FlowInstance): readonly string[] {
  return reads.filter((name) => globalNames.includes(name));
}

/** A bound wait continues after its flow has ended, with a warning unless its event is about to occur. */
function warnOfEnd({ round }: EngineState, instance: FlowInstance, { bound, names }: ReadyPattern): void {
  if (bound === undefined || round.expected.has(bound.uid)) return;
  if (round.queue.some((event) => event.flow?.uid === bound.uid)) return;
  const message = `${names.join(" or ")} is waited for after the flow has ended; \`it finished\` also sees what is over`;
  round.trace.push({ type: "warning", code: "C2-406", message, flow: instance.flow });
}
