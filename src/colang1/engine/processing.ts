import { GuardrailsError } from "../../diagnostics/errors.js";
import type { SourceLocation } from "../../diagnostics/source-file.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { WORK_PER_EVENT, WorkMeter } from "../../engine/limits.js";
import type { OfferReason, TraceEvent } from "../../engine/explain.js";
import { copyToGrow, isMap, readOwn, writeOwn, type Context } from "../../engine/plain-data.js";
import type { Expression } from "../../expressions/ast.js";
import { evaluate } from "../../expressions/evaluate/evaluate.js";
import type { WorkBudget } from "../../expressions/evaluate/runtime.js";
import type { Colang1Program, CompiledFlow, Element, ElementTarget, Tier } from "../elements.js";
import type { Value } from "../../expressions/values/value.js";
import { COLANG_1_DIALECT } from "../expression-dialect.js";
import { flowsWith, indexes, indexOf, UTTERANCE, type ProgramIndex } from "./program-index.js";
import { NO_FLOWS, type Colang1State, type FlowInstance, type Origin } from "./state.js";
import { readPath, Variables } from "./variables.js";

/** A mutable copy of an instance during the processing of an event. */
export type LiveInstance = { -readonly [Key in keyof FlowInstance]: FlowInstance[Key] };

/** A step that an instance could take. */
export interface Offer {
  readonly instance: LiveInstance;
  readonly flow: CompiledFlow;
  readonly element: Element;
  readonly reason: OfferReason;
  /** Priority compared with that of the accepted offer. */
  readonly priority: number;
  /** Priority stored if the offer is accepted. */
  readonly scaled: number;
}

/** The event as matchers see it. */
export interface MatchView {
  readonly work: Processing;
  readonly event: GuardrailsEvent;
  /** The event for `event UtteranceUserActionFinished`; undefined while that must not match. */
  readonly utterance: GuardrailsEvent | undefined;
  /** Variables set by the prefix of a flow. */
  readonly assigned: ReadonlyMap<string, unknown> | undefined;
}

const NO_CALLERS: readonly string[] = [];
const NO_INSTANCES: readonly LiveInstance[] = [];
const NO_EXTENSION: Readonly<Record<Tier, boolean>> = { system: false, user: false };
const PENDING_FACTOR = 0.9;
/** Cost of an assignment, a jump or a condition, besides that of its expression. */
export const STEPS_PER_SLIDE = 4;

/** Kinds of elements that request a step. */
export const STEP_KINDS: ReadonlySet<Element["kind"]> = new Set(["Say", "Run", "Emit", "Stop"]);

/** Mutable data of one event's processing, copied from a state that stays unchanged. */
export class Processing implements WorkBudget {
  readonly index: ProgramIndex;
  /** Flows of the program and LLM-written flows, by id. */
  readonly flows: ReadonlyMap<string, CompiledFlow>;
  readonly trace: TraceEvent[] = [];
  readonly offers: Offer[] = [];
  /** Callees come before their callers, new instances at the end. */
  instances: LiveInstance[] = [];
  /** The instance whose requested step is this event. */
  readonly emitter: LiveInstance | undefined;
  /** Callees created by the current run, in their order in the list; `spawn` adds one. */
  spawned = NO_INSTANCES;
  /** Context variables; copied at the first change. */
  context: Context;
  changed: readonly string[];
  created: number;
  reported: readonly string[];
  failure: EventDraft | null;
  /** Instances aborted by this event, which a finished extension flow revives. `disturb` adds one. */
  abortedByEvent = NO_INSTANCES;
  /** True once the event has interrupted an instance. */
  interrupts = false;
  extensionFinished = NO_EXTENSION;
  /** The emitter of the event and the instances that moved with it, which the event does not disturb. */
  #immune: Set<string> | undefined;
  /** Values of `return`, by instance. */
  #returned: Map<string, unknown> | undefined;
  /** The event as flows on the raw utterance see it. */
  readonly utteranceView: GuardrailsEvent | undefined;
  #seesUtterance: Set<string> | undefined;
  #copied: Record<string, unknown> | undefined;
  #slides = 0;
  /** Steps spent on the event. */
  #spent = 0;
  #variables: Variables | undefined;
  #views: Partial<Record<Tier, MatchView>> | undefined;

  constructor(
    readonly program: Colang1Program,
    readonly state: Colang1State,
    readonly event: GuardrailsEvent,
    readonly origin: Origin,
  ) {
    this.index = indexes.get(program) ?? indexOf(program);
    this.flows = state.flows === NO_FLOWS ? this.index.flows : flowsWith(this.index, state.flows);
    for (const instance of state.instances) {
      const live = { ...instance };
      this.instances.push(live);
      if (origin.kind === "step" && live.uid === origin.instance) this.emitter = live;
    }
    this.context = state.context;
    this.changed = state.changed;
    this.created = state.created;
    this.reported = state.reported;
    this.failure = state.failure;
    if (event.type === "UserMessage") {
      this.utteranceView = { ...state.utterance, type: UTTERANCE, final_transcript: event["text"] ?? null };
    }
  }

  /** Counts the work of the event. */
  add(steps: number): void {
    this.#spent += steps;
  }

  /** Counts the work of the event. @throws LimitError CO-403 if there is too much, as for sliding steps */
  spend(steps: number): void {
    if ((this.#spent += steps) > WORK_PER_EVENT) this.#exceed();
  }

  #exceed(): never {
    throw new WorkMeter(WORK_PER_EVENT, "CO-403").error();
  }

  /**
   * Returns the event as flows of a tier see it: user flows see the utterance once the input stage passes it, system
   * flows at once (CO-318).
   */
  viewFor(tier: Tier): MatchView {
    const views = (this.#views ??= {});
    return (views[tier] ??= {
      work: this,
      event: this.event,
      utterance: tier === "user" ? this.utteranceView : this.event.type === UTTERANCE ? this.event : undefined,
      assigned: undefined,
    });
  }

  spawn(callee: LiveInstance): void {
    this.spawned = this.spawned.length === 0 ? [callee] : [...this.spawned, callee];
  }

  /** Aborts an instance that the event disturbs. */
  disturb(instance: LiveInstance, why: string): void {
    this.abort(instance, why);
    this.abortedByEvent = [...this.abortedByEvent, instance];
  }

  /** Sets a variable without reporting it: predefined ones, and values from an event. */
  put(name: string, value: unknown): void {
    if (!this.#copied) {
      this.#copied = Object.hasOwn(this.context, name) ? { ...this.context } : copyToGrow(this.context);
      this.context = this.#copied;
    }
    if (name === "__proto__") writeOwn(this.#copied, name, value);
    else this.#copied[name] = value;
  }

  /** Sets a variable for a flow, which the next `ContextUpdate` reports. */
  assign(name: string, value: unknown): void {
    this.put(name, value);
    if (!this.changed.includes(name)) this.changed = [...this.changed, name];
  }

  elementOf(instance: FlowInstance): Element | undefined {
    return this.flows.get(instance.flow)?.elements[instance.at];
  }

  find(uid: string | null): LiveInstance | undefined {
    if (uid !== null) for (const instance of this.instances) if (instance.uid === uid) return instance;
    return undefined;
  }

  /** Creates an instance at the start of a flow, not yet in the list. */
  create(flow: CompiledFlow, caller?: LiveInstance): LiveInstance {
    this.created += 1;
    const tier = caller?.tier ?? flow.tier;
    const instance: LiveInstance = {
      uid: String(this.created),
      flow: flow.id,
      tier,
      at: 0,
      status: "active",
      suspendedBy: null,
      sleeping: false,
      caller: caller?.uid ?? null,
      depth: (caller?.depth ?? 0) + 1,
      priority: caller && tier === "system" ? Math.max(caller.priority, flow.priority) : flow.priority,
      waitingFor: null,
      since: 0,
      engaged: false,
      startedBy: this.event.type,
    };
    if (caller && this.#seesUtterance?.has(caller.uid)) this.#seesUtterance.add(instance.uid);
    return instance;
  }

  /** Returns the instance and its callers, innermost first. */
  chainOf(instance: LiveInstance): LiveInstance[] {
    const chain = [instance];
    for (let { caller } = instance; caller !== null;) {
      const found = this.find(caller);
      if (!found) break;
      chain.push(found);
      caller = found.caller;
    }
    return chain;
  }

  callersOf(instance: LiveInstance): readonly string[] {
    if (instance.caller === null) return NO_CALLERS;
    return this.chainOf(instance)
      .slice(1)
      .map((caller) => caller.uid);
  }

  /** Makes the user's utterance `$event` for this instance (CO-318). */
  showUtterance(instance: LiveInstance): void {
    this.#seesUtterance ??= new Set();
    this.#seesUtterance.add(instance.uid);
  }

  isImmune(instance: LiveInstance): boolean {
    return this.#immune?.has(instance.uid) ?? false;
  }

  makeImmune(instance: LiveInstance): void {
    this.#immune ??= new Set();
    this.#immune.add(instance.uid);
  }

  /** Ends an instance at the end of its flow. */
  complete(instance: LiveInstance, flow: CompiledFlow, value: unknown): void {
    instance.status = "completed";
    instance.at = flow.elements.length;
    this.#returned ??= new Map();
    this.#returned.set(instance.uid, value);
    if (flow.isExtension) this.extensionFinished = { ...this.extensionFinished, [instance.tier]: true };
    this.trace.push({ type: "finished", flow: flow.id, instance: instance.uid });
  }

  returnedBy(uid: string): unknown {
    return this.#returned?.get(uid) ?? null;
  }

  /** @throws GuardrailsError */
  evaluate(expression: Expression, instance?: LiveInstance, overlay?: ReadonlyMap<string, unknown>): Value {
    // Most arguments are constants; they need no evaluation.
    if (expression.kind === "Literal") return expression.value;
    const variables = (this.#variables ??= new Variables(this));
    variables.instance = instance?.uid;
    variables.overlay = overlay;
    variables.steps = 0;
    const value = readPath(variables, expression);
    if (value === undefined) return evaluate(expression, variables, COLANG_1_DIALECT, { budget: this });
    if ((this.#spent += variables.steps) > WORK_PER_EVENT) this.#exceed();
    return value;
  }

  /** Returns `$event` of an instance. */
  eventFor(instance: string | undefined): GuardrailsEvent | undefined {
    return instance !== undefined && this.#seesUtterance?.has(instance) === true ? this.utteranceView : this.event;
  }

  /** Counts one sliding step of this event; false once there are too many. @throws LimitError if they cost too much */
  slide(): boolean {
    this.#slides += 1;
    if ((this.#spent += STEPS_PER_SLIDE) > WORK_PER_EVENT) this.#exceed();
    return this.#slides <= this.state.limits.slideSteps;
  }

  offer(instance: LiveInstance, flow: CompiledFlow, reason: OfferReason): void {
    const element = flow.elements[instance.at];
    if (!element || !STEP_KINDS.has(element.kind) || instance.waitingFor !== null) return;
    const { priority } = instance;
    const scaled = reason === "pending" ? priority * PENDING_FACTOR : priority;
    this.offers.push({ instance, flow, element, reason, priority, scaled });
  }

  abort(instance: LiveInstance, why: string): void {
    instance.status = "aborted";
    instance.waitingFor = null;
    this.trace.push({ type: "aborted", flow: instance.flow, instance: instance.uid, why });
  }

  /** Ends an instance that cannot continue; the first failure of an event becomes its outcome. */
  fail(instance: LiveInstance, cause: unknown, location: SourceLocation | undefined): void {
    instance.status = "aborted";
    instance.waitingFor = null;
    const { code, message } = describeFailure(cause);
    const where = location ? { location } : {};
    this.trace.push({ type: "failed", flow: instance.flow, instance: instance.uid, code, message, ...where });
    this.failure ??= { type: "FlowFailed", flow_id: instance.flow, code, message, location: location ?? null };
  }
}

/** A failure detected by the engine. */
interface EngineFailure {
  readonly code: string;
  readonly message: string;
}

export function describeFailure(cause: unknown): EngineFailure {
  if (GuardrailsError.isInstance(cause)) return { code: cause.code, message: cause.message };
  if (cause instanceof Error) return { code: "CO-410", message: cause.message };
  return cause as EngineFailure;
}

/** The variable changed by an assignment, or the reason why it is invalid (CO-206). */
type Assignment =
  | { readonly ok: true; readonly name: string; readonly value: unknown }
  | { readonly ok: false; readonly code: "CO-206"; readonly message: string };

/**
 * Resolves `$name.path = value`: sets a property in a copy of an existing map; any other target except a plain variable
 * is rejected.
 *
 * @example
 * ```ts
 * assignTo({ order: { qty: 1 } }, { name: "order", path: ["qty"] }, 2);
 * // { ok: true, name: "order", value: { qty: 2 } }
 * ```
 */
export function assignTo(context: Context, target: ElementTarget, value: unknown): Assignment {
  if (target.path.length === 0) return { ok: true, name: target.name, value };
  const changed = withProperty(readOwn(context, target.name), target.path, 0, value);
  if (changed !== undefined) return { ok: true, name: target.name, value: changed };
  const name = [target.name, ...target.path].join(".");
  return { ok: false, code: "CO-206", message: `cannot set \`$${name}\`: there is no map to set a property of` };
}

function withProperty(
  map: unknown,
  path: readonly string[],
  depth: number,
  value: unknown,
): Record<string, unknown> | undefined {
  const key = path[depth];
  if (!isMap(map) || key === undefined) return undefined;
  const last = depth === path.length - 1;
  const inner = last ? value : withProperty(readOwn(map, key), path, depth + 1, value);
  if (inner === undefined && !last) return undefined;
  const copy = { ...map };
  writeOwn(copy, key, inner);
  return copy;
}

/**
 * Assigns a result to the result key of a `StartInternalSystemAction`, such as `order.qty`.
 *
 * @example
 * ```ts
 * const stored = assignResult(state.context, "sum", 5);
 * if (stored.ok) feed({ type: "ContextUpdate", data: { [stored.name]: stored.value } });
 * ```
 */
export function assignResult(context: Context, resultKey: string, value: unknown): Assignment {
  const [name = "", ...path] = resultKey.split(".");
  return assignTo(context, { name, path }, value);
}
