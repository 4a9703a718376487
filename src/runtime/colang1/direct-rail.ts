import type { ActionParameters, ActionResult } from "../../actions/action.js";
import type { DispatchResult } from "../../actions/dispatcher.js";
import { createState } from "../../colang1/engine/state.js";
import { assignResult, assignTo } from "../../colang1/engine/processing.js";
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

/** Types of the events of a rail that only runs actions; a flow that waits for one takes part in every rail. */
const ENGINE_EVENTS = ["start_flow", "StartInternalSystemAction", "InternalSystemActionFinished", "ContextUpdate"];

/**
 * Returns true if a rail may run without the engine: no flow takes part in what it does, and the caller asks for no trace. The
 * statements themselves decide how far.
 */
export function runsDirectly(services: RuntimeServices, { request }: Pick<RailStart, "request">): boolean {
  const { options, activity } = request.turn;
  return options.explain !== true && options.log === undefined && activity === undefined && services.isQuiet;
}

/** Returns true if no flow waits for an event of rails that only run actions. */
export function isQuiet(awaited: ReadonlySet<string>): boolean {
  return !ENGINE_EVENTS.some((type) => awaited.has(type));
}

/** Runs a rail on the engine from its beginning and returns its events. */
type Replay = (turn: Turn, perform: Perform) => GuardrailsEvent[];

interface DirectRailInput {
  readonly flow: CompiledFlow;
  /** The variables with the parameters of the rail. */
  readonly context: Context;
  readonly replay: Replay;
}

/**
 * The run of a rail from its first statement, as long as the statements only run actions, set variables and test them: a
 * rail that lets a text pass does no more. Everything else, such as an utterance, is the engine's, which then runs the rail
 * with the results that its actions had.
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
  /** Events that the engine would have made so far. */
  #counted = 0;
  /** True if variables were set that no event has announced. */
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

  /** The events so far, which the engine makes when something reads them. */
  get events(): GuardrailsEvent[] {
    const turn = this.turn.apart(this.turn.options);
    const events = this.#replay(turn, this.withResults(NO_ACTION));
    turn.close();
    return events;
  }

  /** Performs the actions of the rail on the engine, the first of them with the results that they had. */
  withResults(perform: Perform): Perform {
    const results = [...this.#results];
    return (services, run, request) => {
      const result = results.shift();
      return result === undefined ? perform(services, run, request) : finish(services, run, request, result);
    };
  }

  /**
   * Returns true if the rail has passed, false if the engine has to run it.
   *
   * @throws what an action failed with
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
      const outcome = performAction(this.#services, this, element.action, params, this.#flow.id);
      if (isPromise(outcome))
        return outcome.then((each) => (this.#take(element, each) ? this.#goOn() : this.#handOver()));
      if (!this.#take(element, outcome)) return this.#handOver();
    }
    return !this.#hasSet || this.#count(1) || this.#handOver();
  }

  /** Counts events; returns false if the limit has no room for them. */
  #count(events: number): boolean {
    if (!this.turn.countUnmade(events)) return false;
    this.#counted += events;
    return true;
  }

  /** Leaves the rail to the engine, which counts its events itself. */
  #handOver(): false {
    this.turn.countUnmade(-this.#counted);
    return false;
  }

  /** The arguments of an action; undefined if one cannot be computed. */
  #parameters(element: ElementOf<"Run">): ActionParameters | undefined {
    const params: Record<string, unknown> = {};
    try {
      for (const [at, { name, value }] of element.arguments.entries()) {
        writeOwn(params, name ?? `$${at + 1}`, this.#evaluate(value) ?? null);
      }
      return params;
    } catch {
      // The engine computes them again, and reports the place.
      return undefined;
    }
  }

  /** Takes the result of an action; returns false if events follow from it. */
  #take({ result }: ElementOf<"Run">, outcome: DispatchResult): boolean {
    if (!outcome.ok) throw outcome.error;
    const { returnValue, contextUpdates, events } = outcome.result;
    this.#results.push(outcome.result);
    if (events.length > 0) return false;
    const updates = { ...contextUpdates };
    if (result !== undefined) {
      const stored = assignResult(this.context, [result.name, ...result.path].join("."), returnValue ?? null);
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

  /** Does a statement that needs no event; returns false if the engine has to, which then reports what failed. */
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

/** Returns true for a statement that needs no engine. Only jumps forward are direct, so every run comes to an end. */
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
  // `$event` is the event that the engine processes.
  return !expressionsIn(Object.values(element)).some((each) => freeVariables(each).includes("event"));
}

/** Ends a run on the engine at the first action that has no result. */
const NO_ACTION: Perform = () => [];
