import { evaluate } from "../../../../expressions/evaluate/evaluate.js";
import { toPythonText } from "../../../../expressions/values/format.js";
import { DEFAULT_EVALUATION_LIMITS, evaluationLimitError } from "../../../../expressions/evaluate/runtime.js";
import { isList, isMap, isSet, isTruthy, readOwn, toValue, type Value } from "../../../../expressions/values/value.js";
import { toKey } from "../../../../expressions/values/compare.js";
import type { ElementTarget } from "../../../elements.js";
import { COLANG_2_DIALECT } from "../../../expression-dialect.js";
import { copyValue } from "../../values/plain-values.js";
import {
  evaluateIn,
  forgetVariable,
  problem,
  readVariable,
  writeGlobal,
  writeVariable,
} from "../../values/evaluate-in.js";
import { ENGINE_WORK } from "../../limits.js";
import { createTable } from "../../state/event.js";
import { FlowReference } from "../../state/references.js";
import type { FlowInstance } from "../../state/records.js";
import type { EngineState } from "../../state/state.js";
import type { Steps } from "./move.js";

export const VALUE_STEPS = {
  Set({ state, instance, element }) {
    const { target, operator } = element;
    if (operator === "=") {
      const value = evaluateIn(state, instance, element.value);
      if (target.path.length === 0) writeVariable(state, instance, target.name, value);
      else placeOf(state, instance, target).write(value);
    } else {
      // INVARIANT: every part of the target is evaluated once, since it may have effects.
      const place = placeOf(state, instance, target);
      const old = place.read();
      place.write(combine(state, operator === "+=" ? "+" : "-", old, evaluateIn(state, instance, element.value)));
    }
  },

  Forget({ state, instance, element }) {
    for (const name of element.variables) forgetVariable(state, instance, name);
  },

  Evaluate({ state, instance, element }) {
    evaluateIn(state, instance, element.value);
    // A method may have mutated the value of a global variable.
    for (const name of instance.globalNames) writeGlobal(state, name, state.data.globals[name] ?? null);
  },

  Priority({ state, instance, element }) {
    const value = evaluateIn(state, instance, element.value);
    if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
      throw problem("a priority must be a number from 0 to 1");
    }
    instance.priority = value;
  },

  Log({ state, instance, element }) {
    const text = toPythonText(evaluateIn(state, instance, element.value));
    state.round.trace.push({ type: "logged", flow: instance.flow, instance: instance.uid, text });
  },

  Print({ state, instance, element }) {
    state.round.prints.push(toPythonText(evaluateIn(state, instance, element.value)));
  },

  /** From here on, the names refer to global variables in this instance. */
  Global({ state, instance, element }) {
    for (const name of element.names) {
      if (!instance.globalNames.includes(name)) instance.globalNames.push(name);
      if (!Object.hasOwn(state.data.globals, name)) writeGlobal(state, name, null);
    }
  },

  Goto: ({ element }) => element.target,

  GotoIf({ state, instance, element }) {
    return isTruthy(evaluateIn(state, instance, element.condition)) === element.when ? element.target : undefined;
  },

  GotoIfFlow({ state, instance, element }) {
    const value = readVariable(state, instance, element.variable);
    return value instanceof FlowReference ? element.target : undefined;
  },

  Return({ state, instance, element }) {
    const value = element.value === undefined ? null : evaluateIn(state, instance, element.value);
    return { kind: "return", value };
  },

  BeginLoop({ state, instance, element }) {
    const items = itemsOf(evaluateIn(state, instance, element.value));
    state.work.spend(items.length * ENGINE_WORK.item);
    writeVariable(state, instance, element.list, items);
    writeVariable(state, instance, element.index, 0);
  },

  NextItem({ state, instance, element }) {
    const list = readVariable(state, instance, element.list) ?? null;
    const index = readVariable(state, instance, element.index);
    if (!isList(list) || typeof index !== "number" || index >= list.length) return element.end;
    writeVariable(state, instance, element.index, index + 1);
    placeOf(state, instance, element.target).write(toValue(list[index]));
    return undefined;
  },
} satisfies Partial<Steps>;

/** The variable, member or item that a target refers to. */
interface Place {
  read(): Value;
  write(value: Value): void;
}

function placeOf(state: EngineState, instance: FlowInstance, { name, path }: ElementTarget): Place {
  const last = path.at(-1);
  if (last === undefined) {
    return {
      read: () => readVariable(state, instance, name) ?? null,
      write: (value) => writeVariable(state, instance, name, value),
    };
  }
  let holder = readVariable(state, instance, name) ?? null;
  for (const step of path.slice(0, -1)) holder = readStep(holder, keyOf(state, instance, step));
  const key = keyOf(state, instance, last);
  return {
    read: () => readStep(holder, key),
    write: (value) => {
      writeStep(holder, key, value);
      if (instance.globalNames.includes(name)) writeGlobal(state, name, state.data.globals[name] ?? null);
    },
  };
}

type Key = { readonly member: string } | { readonly index: Value };

function keyOf(state: EngineState, instance: FlowInstance, step: ElementTarget["path"][number]): Key {
  return "member" in step ? step : { index: evaluateIn(state, instance, step.index) };
}

function readStep(holder: Value, key: Key): Value {
  if (isList(holder)) return toValue(holder[listIndex(holder, key)]);
  if (isMap(holder)) return readOwn(holder, mapKey(key)) ?? null;
  throw problem("only members of dictionaries and items of lists can be assigned");
}

function writeStep(holder: Value, key: Key, value: Value): void {
  if (isList(holder)) (holder as Value[])[listIndex(holder, key)] = value;
  // INVARIANT: even if a map has a prototype, the key becomes an own property, whatever its name.
  else if (isMap(holder)) {
    const name = mapKey(key);
    if (!Object.hasOwn(holder, name)) noteNewKey(holder);
    Object.defineProperty(holder, name, { value, ...ORDINARY });
  } else throw problem("only members of dictionaries and items of lists can be assigned");
}

/** Upper bound on the entries of a map. Counting takes linear time, so they are counted only when it is exceeded. */
const sizes = new WeakMap<object, number>();

function noteNewKey(map: object): void {
  let size = (sizes.get(map) ?? Object.keys(map).length) + 1;
  if (size > DEFAULT_EVALUATION_LIMITS.listLength) size = Object.keys(map).length + 1;
  checkItems(size);
  sizes.set(map, size);
}

/** @throws LimitError for more items than a collection may have */
function checkItems(count: number): void {
  const limits = DEFAULT_EVALUATION_LIMITS;
  if (count > limits.listLength) throw evaluationLimitError(limits, "listLength", "a collection grows too large");
}

const ORDINARY = { writable: true, enumerable: true, configurable: true } as const;

function listIndex(list: readonly Value[], key: Key): number {
  const index = "index" in key ? key.index : null;
  const at = typeof index === "number" && index < 0 ? index + list.length : index;
  if (typeof at !== "number" || !Number.isInteger(at) || at < 0 || at >= list.length) {
    throw problem(`no item of a list of length ${list.length} is at this place`);
  }
  return at;
}

function mapKey(key: Key): string {
  const name = "member" in key ? key.member : toKey(key.index);
  if (name === undefined) throw problem("this cannot be a key of a dictionary");
  return name;
}

/** `+=` and `-=` are equivalent to `+` and `-`. */
function combine(state: EngineState, operator: "+" | "-", left: Value, right: Value): Value {
  const scope = { lookup: (name: string): Value => (name === "left" ? left : right) };
  const variable = (name: string) => ({ kind: "Variable" as const, name, start: 0, end: 0 });
  const sum = { kind: "Binary" as const, operator, left: variable("left"), right: variable("right"), start: 0, end: 0 };
  return evaluate(sum, scope, COLANG_2_DIALECT, { budget: state.work });
}

/** A copy, so that a body that changes the list still terminates. */
function itemsOf(value: Value): Value[] {
  if (typeof value === "string") {
    checkItems(value.length);
    return [...value];
  }
  if (isList(value)) return value.map(toValue);
  if (isSet(value)) return [...value];
  if (isMap(value)) return Object.keys(value);
  throw problem("only lists, sets, dictionaries and strings can be gone through");
}

/** A record of copied values: an event is frozen when it is sent. */
export function freeze(state: EngineState, record: Readonly<Record<string, Value>>): Record<string, Value> {
  const frozen = createTable();
  for (const name of Object.keys(record)) frozen[name] = copyValue(record[name] ?? null, state.work);
  return frozen;
}
