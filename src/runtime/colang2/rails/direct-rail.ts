import type { EngineConversation } from "../../../colang2/engine/conversation.js";
import { isMetaField } from "../../../colang2/engine/state/event.js";
import { fromOutside, plainOrNull, toOutside } from "../../../colang2/engine/values/plain-values.js";
import type { Element, ElementOf } from "../../../colang2/elements.js";
import { COLANG_2_DIALECT } from "../../../colang2/expression-dialect.js";
import type { CompiledFlow } from "../../../colang2/program.js";
import { isPromise, type MaybePromise } from "../../../engine/async.js";
import type { GuardrailsEvent } from "../../../engine/events.js";
import { WorkMeter } from "../../../engine/limits.js";
import { type Context, withVariables } from "../../../engine/plain-data.js";
import type { Expression } from "../../../expressions/ast.js";
import { evaluate } from "../../../expressions/evaluate/evaluate.js";
import { VERDICT } from "../../../expressions/functions/functions.js";
import { createMap, isTruthy, type Value } from "../../../expressions/values/value.js";
import { expressionsIn, walkExpression } from "../../../expressions/walk-expression.js";
import type { RailStart } from "../../../rails/rail-dialect.js";
import { outcomeEventsOf, performAction } from "../dispatch-action.js";
import type { LocalActions } from "../local-actions.js";
import { type Colang2Run, type Colang2Services, completeEvent, type PerformedAction } from "../run.js";

/** Returns true if a rail may run without the engine: the caller requests no trace of it. */
export function runsDirectly({ request }: Pick<RailStart, "request">): boolean {
  const { options, activity } = request.turn;
  return options.explain !== true && options.log === undefined && activity === undefined;
}

interface DirectRailInput {
  readonly flow: CompiledFlow;
  /** Variables before the rail. */
  readonly context: Context;
  readonly parameters: Context;
  /** Creates the engine of the rail, before its first event. */
  readonly open: () => EngineConversation;
}

/** Maximum work on expressions here; beyond it the engine runs, which has its own limits. */
const MOST_WORK = 20_000;

/** Events of an action: its start and its end. */
const EVENTS_OF_ACTION = 2;

/**
 * Runs a rail from its first statement while statements only run actions, set variables and test them, as rails that
 * pass a text do. For anything else, the engine runs the rail with the recorded results of its actions.
 */
export class DirectRail implements Colang2Run {
  readonly scope = "rail";
  readonly turn: Colang2Run["turn"];
  readonly config: Colang2Run["config"];
  readonly cancellation: Colang2Run["cancellation"];
  readonly past: Colang2Run["past"];
  readonly rail: NonNullable<Colang2Run["rail"]>;
  readonly events: GuardrailsEvent[] = [];
  readonly released: Set<string> = NONE_RELEASED;
  variables: Context;
  readonly #services: Colang2Services;
  readonly #input: DirectRailInput;
  readonly #elements: readonly Element[];
  readonly #results: PerformedAction[] = [];
  readonly #work = new WorkMeter(MOST_WORK);
  readonly #globals = new Set<string>();
  readonly #values = new Map<string, Value>();
  readonly #scope = { lookup: (name: string) => this.#valueOf(name) };
  #engine: EngineConversation | undefined;
  #at = 0;

  constructor(services: Colang2Services, start: RailStart, input: DirectRailInput) {
    this.#services = services;
    this.#input = input;
    this.#elements = input.flow.elements;
    this.variables = input.context;
    this.turn = start.request.turn;
    this.past = start.request.past;
    this.config = start.config;
    this.cancellation = start.cancellation;
    this.rail = { name: start.flow, notes: start.notes };
  }

  /** The engine at the current position of the rail, for readers of its state. */
  get engine(): EngineConversation {
    return (this.#engine ??= this.#replay());
  }

  /** Performs the actions of the rail on the engine, the first of them with their recorded results. */
  withResults(run: Colang2Run, local: LocalActions): LocalActions {
    const results = [...this.#results];
    return {
      launch: (request) => {
        const result = results.shift();
        if (result === undefined) return local.launch(request);
        const launch = { name: request.type.slice("Start".length), request };
        return {
          done: Promise.resolve(outcomeEventsOf(this.#services, run, launch, result)),
          stop: () => undefined,
        };
      },
    };
  }

  /**
   * Returns true if the rail has passed, false if the engine must run it.
   *
   * @throws the error of a failed action
   */
  run(): MaybePromise<boolean> {
    return this.#bindParameters() && this.#goOn();
  }

  #goOn(): MaybePromise<boolean> {
    for (let element = this.#elements[this.#at]; element !== undefined; element = this.#elements[this.#at]) {
      if (!isDirect(element, this.#at, this.#elements)) return false;
      if (element.kind !== "NewAction") {
        if (this.#slide(element)) continue;
        return false;
      }
      const params = this.#mayRun(element.action) ? this.#arguments(element) : undefined;
      if (params === undefined) return false;
      const action = { name: element.action, params, request: () => this.#requestOf(element.action, params) };
      const performing = performAction(this.#services, this, action, this.cancellation);
      if (isPromise(performing))
        return performing.then((performed) => (this.#take(element, performed) ? this.#goOn() : false));
      if (!this.#take(element, performing)) return false;
    }
    return true;
  }

  /** Binds the arguments of the reference to the parameters; the engine evaluates defaults other than literals. */
  #bindParameters(): boolean {
    const { flow, parameters } = this.#input;
    for (const { name, default: value } of flow.parameters) {
      if (Object.hasOwn(parameters, name)) this.#values.set(name, fromOutside(parameters[name]));
      else if (value === undefined) this.#values.set(name, null);
      else if (value.kind === "Literal") this.#values.set(name, value.value);
      else return false;
    }
    return flow.returnMembers.length === 0 && this.#elements.length <= this.#services.limits.slideSteps;
  }

  /** Returns true for a local action that neither waits for the caller's tools nor changes the program. */
  #mayRun(name: string): boolean {
    const { registry, askingActions, limits } = this.#services;
    if (SPEAKING.has(name) || EVENTS_OF_ACTION * (this.#results.length + 1) > limits.eventsPerTurn) return false;
    const resolution = registry.resolve(name);
    if (!resolution.found || resolution.note !== undefined) return false;
    const { definition } = resolution;
    return definition.yieldsToTools !== true && !askingActions.has(definition.name);
  }

  /** Evaluates the arguments of an action; undefined if that fails. */
  #arguments(element: ElementOf<"NewAction">): Context | undefined {
    const params: Record<string, unknown> = {};
    try {
      for (const { name, value } of element.arguments) {
        if (name !== undefined) params[name] = toOutside(this.#evaluate(value));
      }
      return params;
    } catch {
      // The engine evaluates them again and reports the location.
      return undefined;
    }
  }

  /** Applies the result of an action; returns false if it emits events. */
  #take({ variable }: ElementOf<"NewAction">, performed: PerformedAction): boolean {
    if (!performed.ok) throw performed.error;
    this.#results.push(performed);
    const { value, updates, events } = performed;
    if (events.length > 0 || Object.keys(updates).length > 0) return false;
    this.#values.set(variable, Object.assign(createMap(), { return_value: fromOutside(value) }));
    this.#at += ELEMENTS_OF_ACTION;
    return true;
  }

  /** Executes a statement that needs no event; returns false if the engine must, which then reports the failure. */
  #slide(element: Element): boolean {
    try {
      if (element.kind === "GotoIf") {
        const isTrue = isTruthy(this.#evaluate(element.condition));
        this.#at = isTrue === element.when ? element.target : this.#at + 1;
        return true;
      }
      if (element.kind === "Goto") this.#at = element.target;
      else {
        if (element.kind === "Set") this.#write(element.target.name, this.#evaluate(element.value));
        else if (element.kind === "Global") this.#declare(element.names);
        else if (element.kind === "Forget") for (const name of element.variables) this.#values.delete(name);
        this.#at += 1;
      }
      return true;
    } catch {
      return false;
    }
  }

  #declare(names: readonly string[]): void {
    for (const name of names) {
      this.#globals.add(name);
      this.#values.delete(name);
    }
    const missing = names.filter((name) => !Object.hasOwn(this.variables, name));
    if (missing.length === 0) return;
    this.variables = withVariables(this.variables, Object.fromEntries(missing.map((name) => [name, null])));
  }

  #write(name: string, value: Value): void {
    this.#values.set(name, value);
    if (this.#globals.has(name)) this.variables = withVariables(this.variables, { [name]: plainOrNull(value) });
  }

  #evaluate(expression: Expression): Value {
    if (expression.kind === "Literal") return expression.value;
    if (expression.kind === "Variable") return this.#valueOf(expression.name) ?? null;
    return evaluate(expression, this.#scope, COLANG_2_DIALECT, { budget: this.#work });
  }

  #valueOf(name: string): Value | undefined {
    const known = this.#values.get(name);
    if (known !== undefined || !this.#globals.has(name)) return known;
    const value = fromOutside(this.variables[name]);
    this.#values.set(name, value);
    return value;
  }

  /** The event that requests an action, as the engine would send it. */
  #requestOf(action: string, params: Context): GuardrailsEvent {
    const { events } = this.#services;
    return completeEvent({ type: `Start${action}`, ...params, action_uid: events.ids.next() }, events);
  }

  /** Replays the rail on the engine up to this point: equal events lead to an equal state. */
  #replay(): EngineConversation {
    const engine = this.#input.open();
    const results = [...this.#results];
    const complete = (draft: Parameters<typeof completeEvent>[0]) => completeEvent(draft, this.#services.events);
    let events = engine.start(this.#input.flow.id, this.#input.parameters).round.events.map(complete);
    while (events.length > 0) {
      const next = events.flatMap((event) => engine.process(event).events.map(complete));
      const ended = events.flatMap((request) => {
        const result = request.type.startsWith("Start") ? results.shift() : undefined;
        if (result === undefined) return [];
        const launch = { name: request.type.slice("Start".length), request };
        return outcomeEventsOf(this.#services, this, launch, result).events.map(complete);
      });
      events = [...next, ...ended];
    }
    return engine;
  }
}

/** Only utterances are released, and a direct rail emits none. */
const NONE_RELEASED: Set<string> = new Set();

/** Actions that the host performs itself. */
const SPEAKING: ReadonlySet<string> = new Set(["UtteranceBotAction", "RunOutputRailsAction"]);

/** An awaited action takes three elements: create, start and wait. */
const ELEMENTS_OF_ACTION = 3;

const knownDirect = new WeakMap<Element, boolean>();

/** Returns true for a statement that needs no engine. Only forward jumps are direct, so every run terminates. */
function isDirect(element: Element, at: number, elements: readonly Element[]): boolean {
  let known = knownDirect.get(element);
  if (known === undefined) knownDirect.set(element, (known = findDirect(element, at, elements)));
  return known;
}

function findDirect(element: Element, at: number, elements: readonly Element[]): boolean {
  switch (element.kind) {
    case "NewAction":
      return isAwaited(element, elements[at + 1], elements[at + 2]) && expressionsIn(element.arguments).every(isPlain);
    case "Goto":
      return element.target > at;
    case "GotoIf":
      return element.target > at && isPlain(element.condition);
    case "Set": {
      const { target, operator, value } = element;
      return target.path.length === 0 && operator === "=" && !OWNED.has(target.name) && isPlain(value);
    }
    case "Entry":
    case "Global":
    case "Forget":
      return true;
    default:
      return false;
  }
}

/** Returns true for an action whose result is awaited at once, with named arguments that are not event fields. */
function isAwaited({ variable, arguments: given }: ElementOf<"NewAction">, start?: Element, end?: Element): boolean {
  if (!variable.startsWith("%") || start?.kind !== "Act" || end?.kind !== "Wait") return false;
  const { request } = start;
  const { pattern } = end;
  return (
    request.form === "action" &&
    request.request === "Start" &&
    request.variable === variable &&
    start.event === undefined &&
    end.event === undefined &&
    pattern.form === "reference" &&
    pattern.member === "Finished" &&
    pattern.arguments.length === 0 &&
    pattern.value.kind === "Variable" &&
    pattern.value.name === variable &&
    new Set(given.map(({ name }) => name)).size === given.length &&
    given.every(({ name, spread }) => name !== undefined && spread === undefined && !isField(name))
  );
}

/** Returns true for names that the engine reads as event fields or checks in an event. */
function isField(name: string): boolean {
  return isMetaField(name) || name === "__proto__" || /script$|transcript$/.test(name);
}

const OWNED: ReadonlySet<string> = new Set(["self", "system"]);

/** Expressions that read variables of the rail, have no effects, and mean the same without a conversation. */
const PLAIN: ReadonlySet<Expression["kind"]> = new Set([
  "Literal",
  "Variable",
  "Member",
  "Index",
  "Unary",
  "Logical",
  "Compare",
  "Conditional",
]);

function isPlain(expression: Expression): boolean {
  let isSo = true;
  walkExpression(expression, (part) => {
    if (part.kind === "Call" ? part.function !== VERDICT.name : !PLAIN.has(part.kind)) isSo = false;
    if (part.kind === "Variable" && OWNED.has(part.name)) isSo = false;
  });
  return isSo && !readsAction(expression);
}

/** Returns true if an expression reads more of an action than its result. */
function readsAction(expression: Expression): boolean {
  let [read, results] = [0, 0];
  walkExpression(expression, (part) => {
    if (part.kind === "Variable" && part.name.startsWith("%")) read += 1;
    if (part.kind !== "Member" || part.object.kind !== "Variable" || part.name !== "return_value") return;
    if (part.object.name.startsWith("%")) results += 1;
  });
  return read !== results;
}
