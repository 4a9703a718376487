import type { ActionParameters, ActionResult } from "../../actions/action.js";
import type { DispatchResult } from "../../actions/dispatcher.js";
import { createState } from "../../colang1/engine/state.js";
import { assignTo } from "../../colang1/engine/processing.js";
import { COLANG_1_DIALECT } from "../../colang1/expression-dialect.js";
import type { CompiledFlow, Element, ElementOf } from "../../colang1/elements.js";
import type { Turn } from "../../turn/turn.js";
import { isPromise, type MaybePromise } from "../../engine/async.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { type Context, withVariables, writeOwn } from "../../engine/plain-data.js";
import { WorkMeter } from "../../engine/limits.js";
import { evaluate } from "../../expressions/evaluate/evaluate.js";
import { isTruthy, toValue } from "../../expressions/values/value.js";
import { expressionsIn, freeVariables } from "../../expressions/walk-expression.js";
import type { Expression } from "../../expressions/ast.js";
import type { RailStart } from "../../rails/rail-dialect.js";
import { finish, performAction } from "./run-action.js";
import { type ActingRun, type Perform, type RuntimeServices, RUN_RAILS } from "./run.js";

/** Event types of a rail that only runs actions; a flow that waits for one takes part in every rail. */
const ENGINE_EVENTS = ["start_flow", "StartInternalSystemAction", "InternalSystemActionFinished", "ContextUpdate"];

/**
 * Returns true if a rail may run without the engine: no other flow reacts to its events, and the caller requests no
 * trace. The statements decide how far it gets.
 */
export function runsDirectly(services: RuntimeServices, { request }: Pick<RailStart, "request">): boolean {
  const { options, activity } = request.turn;
  return options.explain !== true && options.log === undefined && activity === undefined && services.isQuiet;
}

/** Returns true if no flow waits for an event of rails that only run actions. */
export function isQuiet(awaited: ReadonlySet<string>): boolean {
  return !ENGINE_EVENTS.some((type) => awaited.has(type));
}

/** Runs a rail on the engine from the start and returns its events. */
type Replay = (turn: Turn, perform: Perform) => GuardrailsEvent[];

interface DirectRailInput {
  readonly flow: CompiledFlow;
  /** Variables, including the parameters of the rail. */
  readonly context: Context;
  readonly replay: Replay;
}

/**
 * Runs a rail from its first statement while statements only run actions, set variables and test them, as rails that
 * pass a text do. For anything else, such as an utterance, the engine runs the rail with the recorded results of its
 * actions.
 */
export class DirectRail implements ActingRun {
  readonly scope = "rail";
  readonly turn: ActingRun["turn"];
  readonly config: ActingRun["config"];
  readonly cancellation: ActingRun["cancellation"];
  readonly past: ActingRun["past"];
  readonly pastMessages: ActingRun["pastMessages"];
  readonly rail: NonNullable<ActingRun["rail"]>;
  context: Context;
  readonly #services: RuntimeServices;
  readonly #flow: CompiledFlow;
  readonly #replay: Replay;
  readonly #results: ActionResult[] = [];
  readonly #work = new WorkMeter(undefined, "CO-403");
  readonly #scope = { lookup: (name: string) => toValue(this.#valueOf(name)) };
  #at = 0;
  /** Number of events that the engine would have created so far. */
  #counted = 0;
  /** True if variables were set without an event. */
  #hasSet = false;

  constructor(services: RuntimeServices, start: RailStart, { flow, context, replay }: DirectRailInput) {
    this.#services = services;
    this.#flow = flow;
    this.#replay = replay;
    this.context = context;
    this.turn = start.request.turn;
    this.past = start.request.past;
    this.pastMessages = start.request.pastMessages;
    this.config = start.config;
    this.cancellation = start.cancellation;
    this.rail = { name: start.flow, notes: start.notes };
  }

  get state(): ActingRun["state"] {
    return createState(this.#services.program, this.context, { scope: "rail", limits: this.#services.limits });
  }

  /** The events so far; the engine creates them on demand. */
  get events(): GuardrailsEvent[] {
    const turn = this.turn.apart(this.turn.options);
    const events = this.#replay(turn, this.withResults(NO_ACTION));
    turn.close();
    return events;
  }

  /** Performs the actions of the rail on the engine, the first of them with their recorded results. */
  withResults(perform: Perform): Perform {
    const results = [...this.#results];
    return (services, run, request) => {
      const result = results.shift();
      return result === undefined ? perform(services, run, request) : finish(services, run, request, result);
    };
  }

  /**
   * Returns true if the rail has passed, false if the engine must run it.
   *
   * @throws the error of a failed action
   */
  run(): MaybePromise<boolean> {
    return this.#count(1) ? this.#goOn() : this.#handOver();
  }

  #goOn(): MaybePromise<boolean> {
    const { elements } = this.#flow;
    for (let element = elements[this.#at]; element !== undefined; element = elements[this.#at]) {
      if (!isDirect(element, this.#at)) return this.#handOver();
      if (element.kind !== "Run") {
        if (this.#slide(element)) continue;
        return this.#handOver();
      }
      const params = this.#parameters(element);
      if (params === undefined || !this.#count(this.#hasSet ? 2 : 1)) return this.#handOver();
      this.#hasSet = false;
      const outcome = performAction(this.#services, this, { name: element.action, params, flow: this.#flow.id });
      if (isPromise(outcome))
        return outcome.then((awaited) => (this.#take(element, awaited) ? this.#goOn() : this.#handOver()));
      if (!this.#take(element, outcome)) return this.#handOver();
    }
    return !this.#hasSet || this.#count(1) || this.#handOver();
  }

  /** Counts events; returns false if that exceeds the limit. */
  #count(events: number): boolean {
    if (!this.turn.countSkippedEvents(events)) return false;
    this.#counted += events;
    return true;
  }

  /** Leaves the rail to the engine, which counts its own events. */
  #handOver(): false {
    this.turn.countSkippedEvents(-this.#counted);
    return false;
  }

  /** Evaluates the arguments of an action; undefined if that fails. */
  #parameters(element: ElementOf<"Run">): ActionParameters | undefined {
    const params: Record<string, unknown> = {};
    try {
      for (const [at, { name, value }] of element.arguments.entries()) {
        writeOwn(params, name ?? `$${at + 1}`, this.#evaluate(value) ?? null);
      }
      return params;
    } catch {
      // The engine evaluates them again and reports the location.
      return undefined;
    }
  }

  /** Applies the result of an action; returns false if it emits events. */
  #take({ result }: ElementOf<"Run">, outcome: DispatchResult): boolean {
    if (!outcome.ok) throw outcome.error;
    const { returnValue, contextUpdates, events } = outcome.result;
    this.#results.push(outcome.result);
    if (events.length > 0) return false;
    const updates = { ...contextUpdates };
    if (result !== undefined) {
      const stored = assignTo(this.context, result, returnValue ?? null);
      if (!stored.ok) return false;
      updates[stored.name] = stored.value;
    }
    const { context } = this;
    const isChanged = Object.keys(updates).some(
      (name) => !Object.hasOwn(context, name) || !Object.is(context[name], updates[name]),
    );
    if (!this.#count(isChanged ? 2 : 1)) return false;
    if (isChanged) this.context = withVariables(context, updates);
    this.#at += 1;
    return true;
  }

  /** Executes a statement that needs no event; returns false if the engine must, which then reports the failure. */
  #slide(element: Element): boolean {
    try {
      if (element.kind === "JumpIfNot") {
        this.#at = isTruthy(toValue(this.#evaluate(element.condition))) ? this.#at + 1 : element.target;
      } else if (element.kind === "Jump") this.#at = element.target;
      else if (element.kind === "Assign") {
        const assignment = assignTo(this.context, element.target, this.#evaluate(element.value));
        if (!assignment.ok) return false;
        this.context = withVariables(this.context, { [assignment.name]: assignment.value });
        this.#hasSet = true;
        this.#at += 1;
      }
      return true;
    } catch {
      return false;
    }
  }

  #evaluate(expression: Expression): unknown {
    if (expression.kind === "Literal") return expression.value;
    return evaluate(expression, this.#scope, COLANG_1_DIALECT, { budget: this.#work });
  }

  #valueOf(name: string): unknown {
    const { constants } = this.#services.program;
    if (Object.hasOwn(constants, name)) return constants[name];
    return Object.hasOwn(this.context, name) ? this.context[name] : undefined;
  }
}

const knownDirect = new WeakMap<Element, boolean>();

/** Returns true for a statement that needs no engine. Only forward jumps are direct, so every run terminates. */
function isDirect(element: Element, at: number): boolean {
  let known = knownDirect.get(element);
  if (known === undefined) knownDirect.set(element, (known = findDirect(element, at)));
  return known;
}

function findDirect(element: Element, at: number): boolean {
  switch (element.kind) {
    case "Run":
      if (element.action === RUN_RAILS || element.action === "retrieve_relevant_chunks") return false;
      break;
    case "Jump":
    case "JumpIfNot":
      if (element.target <= at) return false;
      break;
    case "Assign":
      break;
    default:
      return false;
  }
  // `$event` is the event that the engine is processing.
  return !expressionsIn(Object.values(element)).some((expression) => freeVariables(expression).includes("event"));
}

/** Ends a run on the engine at the first action without a result. */
const NO_ACTION: Perform = () => [];
