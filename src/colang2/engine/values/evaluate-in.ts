import type { Expression } from "../../../expressions/ast.js";
import { evaluate } from "../../../expressions/evaluate/evaluate.js";
import type { Scope } from "../../../expressions/evaluate/runtime.js";
import { createMap, isList, isMap, isSet, readOwn, toValue, type Value } from "../../../expressions/values/value.js";
import type { ElementArgument } from "../../elements.js";
import { COLANG_2_DIALECT } from "../../expression-dialect.js";
import { ExpressionError } from "../../../diagnostics/errors.js";
import { createTable, NO_VALUES } from "../state/event.js";
import type { FlowInstance, ValueRecord, EngineEvent } from "../state/records.js";
import { referenceTo, childUids, Specification, EventReference } from "../state/references.js";
import {
  variablesOf,
  type EngineState,
  actionOf,
  ancestry,
  definitionOf,
  nextUid,
  nextIndex,
  nextRandom,
  placeAt,
} from "../state/state.js";
import { fromOutside } from "./plain-values.js";
import { ENGINE_WORK } from "../limits.js";

/**
 * Evaluates an expression with the variables of an instance.
 *
 * @throws ExpressionError or LimitError
 */
export function evaluateIn(state: EngineState, instance: FlowInstance, expression: Expression): Value {
  // Most expressions are one literal or name: one step each, without the evaluator.
  if (expression.kind === "Literal" || expression.kind === "Variable") {
    const { work } = state;
    if ((work.spent += 1) > work.maximum) throw work.error();
    if (expression.kind === "Literal") return expression.value;
    return readVariable(state, instance, expression.name) ?? null;
  }
  return evaluateWith(state, expression, instance);
}

/** Evaluates the default of a parameter, without access to any flow; `None` if there is none. */
export function evaluateDefault(state: EngineState, expression: Expression | undefined): Value {
  return expression === undefined ? null : evaluateWith(state, expression, undefined);
}

function evaluateWith(state: EngineState, expression: Expression, instance: FlowInstance | undefined): Value {
  return evaluate(expression, new FlowScope(state, instance), COLANG_2_DIALECT, { budget: state.work });
}

/** The names visible to an expression: those of an instance, or none. */
class FlowScope implements Scope {
  readonly #state: EngineState;
  readonly #instance: FlowInstance | undefined;

  constructor(state: EngineState, instance: FlowInstance | undefined) {
    this.#state = state;
    this.#instance = instance;
  }

  lookup(name: string): Value | undefined {
    if (this.#instance !== undefined) return readVariable(this.#state, this.#instance, name);
    return name === "system" ? systemRecord(this.#state) : undefined;
  }

  ask(question: string, given: readonly Value[]): Value {
    const response = ANSWERS.get(question);
    if (response === undefined) throw problem(`unknown function \`${question}\``);
    return response(this.#state, given);
  }
}

export function readVariable(state: EngineState, instance: FlowInstance, name: string): Value | undefined {
  if (instance.globalNames.includes(name)) return state.data.globals[name];
  if (name === "self") return referenceTo(state, instance);
  if (name === "system") return systemRecord(state);
  if (!instance.sharesVariables) return instance.variables[name];
  return variablesOf(state, instance)[sharedKey(instance, name)];
}

/** INVARIANT: flows with shared variables keep their own compiler temporaries. */
function sharedKey(instance: FlowInstance, name: string): string {
  return name.startsWith("%") ? `${name}@${instance.uid}` : name;
}

/** Returns true for the key of a temporary that no other flow uses. */
export function isTemporaryOf(instance: FlowInstance, key: string): boolean {
  if (!key.startsWith("%")) return false;
  return !instance.sharesVariables || key.slice(key.indexOf("@") + 1) === instance.uid;
}

export function forgetVariable(state: EngineState, instance: FlowInstance, name: string): void {
  if (instance.sharesVariables) delete variablesOf(state, instance)[sharedKey(instance, name)];
  else delete instance.variables[name];
}

export function writeVariable(state: EngineState, instance: FlowInstance, name: string, value: Value): void {
  if (name === "self" || name === "system") throw problem(`\`$${name}\` cannot be assigned`);
  if (instance.globalNames.includes(name)) writeGlobal(state, name, value);
  else if (instance.sharesVariables) variablesOf(state, instance)[sharedKey(instance, name)] = value;
  else instance.variables[name] = value;
}

/** Returns an event under the program's name for it, if any. */
export function nameEvent(
  state: EngineState,
  instance: FlowInstance,
  name: string | undefined,
  event: EngineEvent | undefined,
): void {
  if (name !== undefined && event !== undefined) writeVariable(state, instance, name, new EventReference(state, event));
}

/** Patterns that read the variable are evaluated again before the next comparison. */
export function writeGlobal(state: EngineState, name: string, value: Value): void {
  state.data.globals[name] = value;
  for (const head of state.index.globalReaders.of(name)) {
    head.isStale = true;
    state.index.staleHeads.add(head);
  }
}

export interface GivenArguments {
  readonly positional: readonly Value[];
  readonly named: ValueRecord;
}

const NO_POSITIONAL: readonly Value[] = [];
const NO_ARGUMENTS: GivenArguments = { positional: NO_POSITIONAL, named: NO_VALUES };

/** Evaluates the arguments of a call from left to right. */
export function evaluateArguments(
  state: EngineState,
  instance: FlowInstance,
  list: readonly ElementArgument[],
): GivenArguments {
  if (list.length === 0) return NO_ARGUMENTS;
  const positional: Value[] = [];
  let named: Record<string, Value> | undefined;
  for (const argument of list) {
    const value = evaluateIn(state, instance, argument.value);
    if (argument.spread === "*") positional.push(...itemsOf(value));
    else if (argument.spread === "**") {
      if (!isMap(value)) throw problem("only a dictionary can be spread with `**`");
      named ??= createTable();
      for (const name of Object.keys(value)) give(named, name, readOwn(value, name) ?? null);
    } else if (argument.name === undefined) positional.push(value);
    else give((named ??= createTable()), argument.name, value);
  }
  return { positional, named: named ?? NO_VALUES };
}

function give(named: Record<string, Value>, name: string, value: Value): void {
  if (Object.hasOwn(named, name)) throw problem(`the argument \`${name}\` is given twice`);
  named[name] = value;
}

function itemsOf(value: Value): readonly Value[] {
  if (isList(value)) return value.map(toValue);
  if (isSet(value)) return [...value];
  throw problem("only a list or a set can be spread with `*`");
}

/** Named arguments only: events and actions accept no others. */
export function evaluateNamed(
  state: EngineState,
  instance: FlowInstance,
  list: readonly ElementArgument[],
  what: string,
): ValueRecord {
  if (list.length === 0) return NO_VALUES;
  const { positional, named } = evaluateArguments(state, instance, list);
  if (positional.length > 0) throw problem(`${what} takes only named arguments`);
  return named;
}

/** A ColangValueError of the running program. */
export function problem(message: string): ExpressionError {
  return new ExpressionError(message, { code: "C2-401" });
}

function mapOf(entries: ValueRecord): Record<string, Value> {
  return Object.assign(createMap(), entries);
}

/** Value of `$system`: the configuration, and a view of the state for diagnosis. */
function systemRecord(state: EngineState): Value {
  const flowIds = [...new Set([...state.data.flows.values()].map(({ flow }) => flow))];
  const view = mapOf({ context: mapOf(state.data.globals), flow_ids: flowIds });
  return mapOf({ config: fromOutside(state.program.constants), state: view });
}

type ReferenceFunction = (state: EngineState, given: readonly Value[]) => Value;

/** Functions that depend on the conversation; `functions.ts` has validated their arguments. */
const ANSWERS: ReadonlyMap<string, ReferenceFunction> = new Map<string, ReferenceFunction>([
  ["uid", nextUid],
  ["rand", ({ data }) => nextRandom(data)],
  ["randint", (state, [count]) => nextIndex(state.data, Number(count))],
  ["flow", (_, given) => specification("flow", given)],
  ["action", (_, given) => specification("action", given)],
  ["flow_exists", (state, [name]) => state.definitions.has(String(name))],
  ["flow_running", (state, [name]) => state.index.byFlow.has(String(name))],
  ["flows_info", (state, [uid]) => flowsInfo(state, uid ?? null)],
]);

function specification(subject: "flow" | "action", [name, named]: readonly Value[]): Value {
  const given = named !== undefined && isMap(named) ? named : NO_VALUES;
  return new Specification(subject, String(name), Object.assign(createMap(), given));
}

function flowsInfo(state: EngineState, uid: Value): Value {
  if (typeof uid === "string") {
    const instance = state.data.flows.get(uid);
    return instance === undefined ? null : describe(state, instance);
  }
  const all = createMap();
  for (const instance of state.data.flows.values()) {
    state.work.spend(ENGINE_WORK.instance * 4 + instance.hierarchy.length);
    all[instance.uid] = describe(state, instance);
  }
  return all;
}

function describe(state: EngineState, instance: FlowInstance): Value {
  const { meta, metaTemplates } = definitionOf(state, instance);
  const actions = [...new Set(instance.ownerships.map(({ action }) => actionOf(state, action).uid))];
  const children = childUids(state, instance);
  return mapOf({
    flow_id: instance.flow,
    loop_id: instance.loop,
    status: instance.status,
    flow_hierarchy: [...ancestry(state, instance)].map(({ flow }) => flow).reverse(),
    active_statement_at_lines: linesOf(state, instance),
    meta_tags: [...Object.keys(meta), ...Object.keys(metaTemplates)],
    ...(actions.length > 0 ? { action_uids: actions } : {}),
    ...(children.length > 0 ? { child_flow_uids: children } : {}),
  });
}

function linesOf(state: EngineState, instance: FlowInstance): Value[] {
  const lines = new Set<number>();
  for (const { address, status } of instance.heads) {
    const place = placeAt(state, instance, address);
    if (status === "active" && place !== undefined) lines.add(place.location.line);
  }
  return [...lines].sort((left, right) => left - right);
}
