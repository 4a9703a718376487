import { GuardrailsError } from "../../diagnostics/errors.js";
import type { SourceLocation } from "../../diagnostics/span.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { WorkMeter } from "../../engine/limits.js";
import type { OfferReason, TraceEvent } from "../../engine/trace.js";
import type { Expression } from "../../expressions/ast.js";
import type { Colang1Program, CompiledFlow, Element, Tier } from "../elements.js";
import { copyContext, copyToGrow, readOwn, writeOwn, type Context } from "../../engine/variables.js";
import { indexOf, UTTERANCE, type ProgramIndex } from "./program-index.js";
import type { Colang1State, FlowInstance, RunningAction } from "./state.js";
import { evaluate } from "../../expressions/evaluate/evaluate.js";
import type { WorkBudget } from "../../expressions/evaluate/limits.js";
import { toValue, type Value } from "../../expressions/values/value.js";
import { COLANG_1_DIALECT } from "../expression-dialect.js";

/** An instance while an event is processed: a copy that may be changed. */
export type LiveInstance = { -readonly [Key in keyof FlowInstance]: FlowInstance[Key] };

/** A step that an instance could take. */
export interface Offer {
  readonly instance: LiveInstance;
  readonly flow: CompiledFlow;
  readonly element: Element;
  readonly reason: OfferReason;
  /** Compared with the priority of the accepted offer. */
  readonly priority: number;
  /** Stored when the offer is accepted. */
  readonly scaled: number;
}

/** The cause of an event. */
export type Origin =
  | { readonly kind: "step"; readonly instance: string; readonly tier: Tier }
  | ({ readonly kind: "action" } & RunningAction)
  | { readonly kind: "external" };

const NO_CALLERS: readonly string[] = [];
const PENDING_FACTOR = 0.9;
/** Cost of an assignment, a jump or a condition, in addition to that of its expression. */
export const STEPS_PER_SLIDE = 4;

/**
 * The data that change while one event is processed. They are copies: the state they were made from stays as it is.
 */
export class Processing {
  readonly index: ProgramIndex;
  readonly trace: TraceEvent[] = [];
  readonly offers: Offer[] = [];
  /** Callees stand before their callers, new instances at the end. */
  instances: LiveInstance[];
  /** Callees created by the current run, in their order in the list. */
  spawned: LiveInstance[] = [];
  changed: readonly string[];
  created: number;
  reported: readonly string[];
  failure: EventDraft | null;
  /** Aborted by this event; a finished extension flow revives them. */
  readonly abortedByEvent: LiveInstance[] = [];
  readonly extensionFinished: Record<Tier, boolean> = { system: false, user: false };
  /** The emitter of the event and the instances that moved with it: the event does not disturb them. */
  private immune: Set<string> | undefined;
  /** Values of `return`, by instance. */
  private returned: Map<string, unknown> | undefined;
  /** The event as flows on the raw utterance see it. */
  readonly utteranceView: GuardrailsEvent | undefined;
  private seesUtterance: Set<string> | undefined;
  private values: Context;
  private copied: Record<string, unknown> | undefined;
  private slides = 0;
  /** The work of the event; too much of it is a `LimitError` CO-403, like too many sliding steps. */
  readonly work = new WorkMeter(undefined, "CO-403");

  constructor(
    readonly program: Colang1Program,
    readonly state: Colang1State,
    readonly event: GuardrailsEvent,
    readonly origin: Origin,
  ) {
    this.index = indexOf(program);
    this.instances = state.instances.map((instance) => ({ ...instance }));
    this.values = state.context;
    this.changed = state.changed;
    this.created = state.created;
    this.reported = state.reported;
    this.failure = state.failure;
    if (event.type === "UserMessage") {
      this.utteranceView = { ...state.utterance, type: UTTERANCE, final_transcript: readOwn(event, "text") ?? null };
    }
  }

  get context(): Context {
    return this.values;
  }

  /** Sets a variable without reporting it: predefined ones, and what an event brings. */
  put(name: string, value: unknown): void {
    if (!this.copied) {
      this.copied = Object.hasOwn(this.values, name) ? copyContext(this.values) : copyToGrow(this.values);
      this.values = this.copied;
    }
    writeOwn(this.copied, name, value);
  }

  /** Sets a variable for a flow; the next `ContextUpdate` holds it. */
  assign(name: string, value: unknown): void {
    this.put(name, value);
    if (!this.changed.includes(name)) this.changed = [...this.changed, name];
  }

  flowOf(instance: FlowInstance): CompiledFlow | undefined {
    return this.flowById(instance.flow);
  }

  flowById(id: string): CompiledFlow | undefined {
    return this.index.flows.get(id) ?? (Object.hasOwn(this.state.flows, id) ? this.state.flows[id] : undefined);
  }

  elementOf(instance: FlowInstance): Element | undefined {
    return this.flowOf(instance)?.elements[instance.at];
  }

  find(uid: string | null): LiveInstance | undefined {
    return uid === null ? undefined : this.instances.find((instance) => instance.uid === uid);
  }

  /** A new instance at the beginning of a flow, not yet in the list. */
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
    if (caller && this.seesUtterance?.has(caller.uid)) this.seesUtterance.add(instance.uid);
    return instance;
  }

  /** Returns the instance and its callers, innermost first. */
  chainOf(instance: LiveInstance): LiveInstance[] {
    const chain = [instance];
    for (let caller = this.find(instance.caller); caller; caller = this.find(caller.caller)) chain.push(caller);
    return chain;
  }

  callersOf(instance: LiveInstance): readonly string[] {
    if (instance.caller === null) return NO_CALLERS;
    return this.chainOf(instance)
      .slice(1)
      .map((caller) => caller.uid);
  }

  /** From now on `$event` is the user's utterance for this instance (CO-318). */
  showUtterance(instance: LiveInstance): void {
    this.seesUtterance ??= new Set();
    this.seesUtterance.add(instance.uid);
  }

  isImmune(instance: LiveInstance): boolean {
    return this.immune?.has(instance.uid) ?? false;
  }

  makeImmune(instance: LiveInstance): void {
    this.immune ??= new Set();
    this.immune.add(instance.uid);
  }

  setReturned(instance: LiveInstance, value: unknown): void {
    this.returned ??= new Map();
    this.returned.set(instance.uid, value);
  }

  returnedBy(uid: string): unknown {
    return this.returned?.get(uid) ?? null;
  }

  /** @throws GuardrailsError */
  evaluate(expression: Expression, instance?: LiveInstance, overlay?: ReadonlyMap<string, unknown>): unknown {
    const lookup = (name: string): unknown => {
      if (name === "event") {
        return instance && this.seesUtterance?.has(instance.uid) ? this.utteranceView : this.event;
      }
      if (Object.hasOwn(this.program.constants, name)) return this.program.constants[name];
      if (overlay?.has(name)) return overlay.get(name);
      return readOwn(this.values, name);
    };
    return evaluateWith(expression, lookup, this.work);
  }

  /** Counts one sliding step of this event; false once there are too many. @throws LimitError when they cost too much */
  slide(): boolean {
    this.slides += 1;
    this.work.spend(STEPS_PER_SLIDE);
    return this.slides <= this.state.limits.slideSteps;
  }

  offer(instance: LiveInstance, reason: OfferReason): void {
    const flow = this.flowOf(instance);
    const element = flow?.elements[instance.at];
    if (!flow || !element || !isActionable(element) || instance.waitingFor !== null) return;
    const { priority } = instance;
    const scaled = reason === "pending" ? priority * PENDING_FACTOR : priority;
    this.offers.push({ instance, flow, element, reason, priority, scaled });
  }

  abort(instance: LiveInstance, why: string): void {
    instance.status = "aborted";
    instance.waitingFor = null;
    this.trace.push({ type: "aborted", flow: instance.flow, instance: instance.uid, why });
  }

  /** Ends an instance because it cannot go on; the first failure of an event becomes its outcome. */
  fail(instance: LiveInstance, cause: unknown, location: SourceLocation | undefined): void {
    instance.status = "aborted";
    instance.waitingFor = null;
    const { code, message } = describeFailure(cause);
    const where = location ? { location } : {};
    this.trace.push({ type: "failed", flow: instance.flow, instance: instance.uid, code, message, ...where });
    this.failure ??= { type: "FlowFailed", flow_id: instance.flow, code, message, location: location ?? null };
  }
}

/** A failure found by the engine itself. */
interface EngineFailure {
  readonly code: string;
  readonly message: string;
}

export function describeFailure(cause: unknown): EngineFailure {
  if (GuardrailsError.isInstance(cause)) return { code: cause.code, message: cause.message };
  if (cause instanceof Error) return { code: "CO-410", message: cause.message };
  return cause as EngineFailure;
}

/** Returns true for an element that requests a step. */
export function isActionable(element: Element): boolean {
  return element.kind === "Say" || element.kind === "Run" || element.kind === "Emit" || element.kind === "Stop";
}

/** Evaluates an expression of a program over the engine's variables. @throws GuardrailsError */
function evaluateWith(expression: Expression, lookup: (name: string) => unknown, budget?: WorkBudget): Value {
  // Most arguments are constants; they need no evaluation.
  if (expression.kind === "Literal") return expression.value;
  return evaluate(expression, { lookup: (name) => toValue(lookup(name)) }, COLANG_1_DIALECT, { budget });
}
