import { GuardrailsError } from "../../diagnostics/errors.js";
import type { Argument, Expression, ExpressionOf } from "../ast.js";
import { compareValues, isInSet, keysOf, toKey, toNumber } from "../values/compare.js";
import type { ExpressionDialect, MethodOwner } from "../dialect.js";
import { toPythonText } from "../values/format.js";
import { checkArguments, type FunctionDefinition } from "../functions/function-definition.js";
import { TEMPLATE_FUNCTIONS } from "../functions/functions.js";
import {
  createMap,
  describeType,
  isList,
  isMap,
  isObject,
  isSet,
  isTruthy,
  readOwn,
  toValue,
  toValueOr,
  typeOf,
  UNDEFINED,
  type Value,
  type ObjectValue,
  type ValueMap,
} from "../values/value.js";
import { computeBinary, computeSign } from "./operators.js";
import { type EvaluationBounds, Runtime, type Scope } from "./runtime.js";
import { indexableText } from "../values/text.js";

/**
 * Evaluates an expression. It reads only own enumerable properties, changes nothing except through the dialect's
 * mutating methods, and throws only `ExpressionError` (with the location of the failed part) and `LimitError`.
 *
 * @example
 * ```ts
 * const scope = { lookup: (name: string) => (name === "count" ? 3 : undefined) };
 * evaluate(expression, scope, dialect); // true for "$count > 2"
 * ```
 */
export function evaluate(
  expression: Expression,
  scope: Scope,
  dialect: ExpressionDialect,
  bounds: EvaluationBounds = {},
): Value {
  const runtime = new Runtime(dialect, scope, bounds);
  const { budget } = bounds;
  let value: Value;
  try {
    value = compute(runtime, expression);
  } catch (error) {
    // INVARIANT: a failed evaluation still costs the work it did.
    budget?.add(runtime.steps);
    if (error instanceof GuardrailsError) throw error;
    // A host object in the scope threw while it was read.
    return runtime.fail("a value cannot be read", { cause: error });
  }
  budget?.spend(runtime.steps);
  return value;
}

/** One evaluation in progress. */
type Evaluation = Runtime<ExpressionDialect>;

/** Computes an expression as a part of an evaluation. @throws whatever reading the values of the host throws */
export function compute(runtime: Evaluation, node: Expression): Value {
  runtime.enter();
  const value = dispatch(runtime, node);
  runtime.nesting -= 1;
  return value;
}

/** Returns the truth of a value; all keys of a map count as work. */
function isTrue(runtime: Evaluation, value: Value): boolean {
  return isMap(value) ? keysOf(runtime, value).length > 0 : isTruthy(value);
}

/** A switch, which is faster than a table for operators this small. */
function dispatch(runtime: Evaluation, node: Expression): Value {
  switch (node.kind) {
    case "Literal":
      return node.value;
    case "Variable": {
      runtime.node = node;
      const found = runtime.scope.lookup(node.name);
      return typeof found === "string" ? found : toValueOr(found, runtime.absent);
    }
    case "Logical": {
      const left = compute(runtime, node.left);
      return isTrue(runtime, left) === (node.operator === "and") ? compute(runtime, node.right) : left;
    }
    case "Unary": {
      const operand = compute(runtime, node.operand);
      runtime.node = node;
      return node.operator === "not" ? !isTrue(runtime, operand) : computeSign(runtime, node.operator, operand);
    }
    case "Binary": {
      const left = compute(runtime, node.left);
      const right = compute(runtime, node.right);
      runtime.node = node;
      return computeBinary(runtime, node.operator, left, right);
    }
    case "Conditional":
      return compute(runtime, isTrue(runtime, compute(runtime, node.test)) ? node.whenTrue : node.whenFalse);
    case "Compare":
      return EVALUATORS.Compare(runtime, node);
    case "Member":
      return EVALUATORS.Member(runtime, node);
    default:
      return (EVALUATORS[node.kind] as Evaluator<typeof node.kind>)(runtime, node);
  }
}

type Evaluator<Kind extends Expression["kind"]> = (runtime: Evaluation, node: ExpressionOf<Kind>) => Value;

type Operators = "Literal" | "Variable" | "Logical" | "Unary" | "Binary" | "Conditional";

const EVALUATORS: { readonly [Kind in Exclude<Expression["kind"], Operators>]: Evaluator<Kind> } = {
  Compare: (runtime, node) => {
    let left = compute(runtime, node.first);
    for (const { operator, operand } of node.rest) {
      const right = compute(runtime, operand);
      runtime.node = node;
      if (!compareValues(runtime, operator, left, right)) return false;
      left = right;
    }
    return true;
  },
  Member: (runtime, node) => {
    const object = compute(runtime, node.object);
    runtime.node = node;
    const { name } = node;
    if (isObject(object)) return readMember(runtime, object, name);
    if (typeof object === "string" && name === "value" && runtime.dialect.textIsItsValue) return object;
    if (!isMap(object)) return runtime.fail(`${describeType(object)} has no property \`${name}\``);
    if (name.startsWith("_")) return runtime.fail(`\`${name}\` cannot be read: its name begins with \`_\``);
    const value = readOwn(object, name);
    if (value !== undefined) return value;
    return runtime.dialect.missingKeyIsNone ? null : runtime.fail(`the map has no key \`${name}\``);
  },
  Index: (runtime, node) => {
    const object = compute(runtime, node.object);
    const index = compute(runtime, node.index);
    runtime.node = node;
    return readItem(runtime, object, index);
  },
  Slice: evaluateSlice,
  Call: (runtime, node) => {
    const definition = runtime.dialect.functions.get(node.function) ?? TEMPLATE_FUNCTIONS.get(node.function);
    if (definition !== undefined) return callFunction(runtime, node, definition, []);
    runtime.node = node;
    return runtime.fail(`unknown function \`${node.function}\``);
  },
  MethodCall: (runtime, node) => {
    const object = compute(runtime, node.object);
    const type = typeOf(object);
    const { methods, codes } = runtime.dialect;
    const method = type in methods ? methods[type as MethodOwner].get(node.method) : undefined;
    const definition = method ?? methods.any.get(node.method);
    if (definition !== undefined) return callFunction(runtime, node, definition, [object]);
    runtime.node = node;
    const message = `${describeType(object)} has no method \`${node.method}\``;
    return runtime.fail(message, { code: codes.forbiddenMethod });
  },
  Template: (runtime, node) => {
    let text = "";
    for (const part of node.parts) {
      const piece = typeof part === "string" ? part : toPythonText(compute(runtime, part), runtime);
      runtime.node = node;
      runtime.checkText(text.length + piece.length, piece.length);
      text += piece;
    }
    return text;
  },
  List: (runtime, node) => computeItems(runtime, node.items),
  Map: evaluateMap,
  Set: (runtime, node) => {
    const items = computeItems(runtime, node.items);
    runtime.node = node;
    const set = new Set<Value>();
    for (const item of items) {
      if (isInSet(runtime, set, item)) continue;
      if (typeof item === "object" && item !== null && !runtime.dialect.nestedSetItems && !isObject(item)) {
        return runtime.fail(`${describeType(item)} cannot be in a set`);
      }
      set.add(item);
    }
    return set;
  },
};

/** Evaluates arguments from left to right, places named ones after those already `bound`, and calls. */
function callFunction(
  runtime: Evaluation,
  node: ExpressionOf<"Call" | "MethodCall">,
  definition: FunctionDefinition,
  bound: (Value | undefined)[],
): Value {
  const offset = bound.length;
  const named: Argument[] = [];
  const unpacked: (readonly [string, Value])[] = [];
  for (const argument of node.arguments) {
    // INVARIANT: items are added one by one, since a call with too many arguments overflows the stack.
    if (argument.spread === "*") for (const item of unpackItems(runtime, node, argument)) bound.push(item);
    else if (argument.spread === "**") for (const entry of unpackEntries(runtime, node, argument)) unpacked.push(entry);
    else if (argument.name === undefined) bound.push(compute(runtime, argument.value));
    else named.push(argument);
  }
  const positional = bound.length - offset;
  runtime.checkSize(positional + unpacked.length);
  if (named.length + unpacked.length > 0 || positional < definition.minimum || positional > definition.maximum) {
    const names = [...named.map((argument) => argument.name ?? ""), ...unpacked.map(([name]) => name)];
    const problem = checkArguments(definition, positional, names);
    runtime.node = node;
    if (problem !== undefined) return runtime.fail(problem);
    const others = createMap();
    for (const { name = "", value } of named) {
      const at = definition.parameters.indexOf(name);
      if (at === -1) others[name] = compute(runtime, value);
      else bound[offset + at] = compute(runtime, value);
    }
    for (const [name, value] of unpacked) {
      const at = definition.parameters.indexOf(name);
      const isTwice = at === -1 ? Object.hasOwn(others, name) : names.indexOf(name) !== names.lastIndexOf(name);
      if (isTwice) return runtime.fail(`argument \`${name}\` is given twice`);
      if (at === -1) others[name] = value;
      else bound[offset + at] = value;
    }
    if (definition.takesNamed) bound[offset + definition.parameters.length] = others;
  }
  runtime.node = node;
  return definition.run(runtime, bound);
}

function unpackItems(runtime: Evaluation, node: Expression, { value }: Argument): readonly Value[] {
  const items = compute(runtime, value);
  runtime.node = node;
  if (!isList(items) && !isSet(items)) return runtime.fail("only a list or a set can be unpacked with `*`");
  runtime.checkList(isList(items) ? items.length : items.size);
  return [...items].map(toValue);
}

function unpackEntries(
  runtime: Evaluation,
  node: Expression,
  { value }: { readonly value: Expression },
): readonly (readonly [string, Value])[] {
  const map = compute(runtime, value);
  runtime.node = node;
  if (!isMap(map)) return runtime.fail("only a dictionary can be unpacked with `**`");
  return keysOf(runtime, map).map((name) => [name, readOwn(map, name) ?? null] as const);
}

function computeItems(runtime: Evaluation, items: readonly Expression[]): Value[] {
  runtime.checkList(items.length);
  return items.map((item) => compute(runtime, item));
}

function evaluateMap(runtime: Evaluation, node: ExpressionOf<"Map">): Value {
  const map = createMap();
  let size = 0;
  for (const { key, value } of node.entries) {
    if (key === undefined) {
      const entries = unpackEntries(runtime, node, { value });
      runtime.checkSize((size += entries.length));
      for (const [name, item] of entries) map[name] = item;
      continue;
    }
    runtime.checkSize((size += 1));
    const computed = compute(runtime, key);
    const name = toKey(computed);
    runtime.node = node;
    if (name === undefined) return runtime.fail(`${describeType(computed)} cannot be a key`);
    map[name] = compute(runtime, value);
  }
  return map;
}

/** Reads a member of an object. Names that begin with `_` are private. */
function readMember(runtime: Runtime, object: ObjectValue, name: string): Value {
  const value = name.startsWith("_") ? undefined : object.member(name, runtime);
  return value === undefined ? runtime.missing(`${describeType(object)} has no member \`${name}\``) : toValue(value);
}

/** Reads an item of a list, a character of a text or the value of a key. */
export function readItem(runtime: Runtime, object: Value, index: Value): Value {
  if (isMap(object)) return readKey(runtime, object, index);
  if (isObject(object) && typeof index === "string" && runtime.dialect.lenient) {
    return readMember(runtime, object, index);
  }
  if (typeof object !== "string" && !isList(object)) {
    return runtime.missing(`${describeType(object)} cannot be indexed`);
  }
  const at = toNumber(runtime, index);
  if (at === undefined) return runtime.missing(`an index must be a number, not ${describeType(index)}`);
  if (!Number.isInteger(at)) return runtime.missing("an index must be a whole number");
  if (typeof object === "string") runtime.chargeText(object.length);
  const items: ArrayLike<Value> = typeof object === "string" ? indexableText(runtime, object) : object;
  const position = at < 0 ? at + items.length : at;
  if (position < 0 || position >= items.length) {
    return runtime.missing(`index ${at} is out of range: ${describeType(object)} of length ${items.length}`);
  }
  return toValueOr(items[position], runtime.absent);
}

function readKey(runtime: Runtime, map: ValueMap, index: Value): Value {
  const key = toKey(index);
  if (key === undefined) return runtime.missing(`${describeType(index)} cannot be a key`);
  const value = readOwn(map, key, runtime.absent);
  return value === undefined ? runtime.missing(`the map has no key \`${key.slice(0, 80)}\``) : value;
}

/** Part of a string or list, with negative bounds counted from the end; bounds out of range are no error. */
function evaluateSlice(runtime: Evaluation, node: ExpressionOf<"Slice">): Value {
  const object = compute(runtime, node.object);
  const bounds = [node.from, node.to, node.step].map((bound) => (bound ? compute(runtime, bound) : null));
  runtime.node = node;
  if (object === UNDEFINED) return runtime.missing("a missing value cannot be sliced");
  if (typeof object !== "string" && !isList(object)) return runtime.fail(`${describeType(object)} cannot be sliced`);
  const items: ArrayLike<Value> = typeof object === "string" ? indexableText(runtime, object) : object;
  const { length } = items;
  const [from, to, step = 1] = bounds.map((bound) => boundOf(runtime, bound));
  if (step === 0) return runtime.fail("the step of a slice cannot be 0");
  const isForward = step > 0;
  // Going backwards, the places run from the last item down to the one before the first.
  const low = isForward ? 0 : -1;
  const high = isForward ? length : length - 1;
  const first = clampBound(from, length, low, high) ?? (isForward ? low : high);
  const end = clampBound(to, length, low, high) ?? (isForward ? high : low);
  if (step === 1 && typeof object === "string" && typeof items === "string") {
    runtime.chargeText(Math.max(0, end - first));
    return items.slice(first, Math.max(first, end));
  }
  runtime.chargeEntries(Math.abs((end - first) / step));
  const picked: Value[] = [];
  for (let at = first; isForward ? at < end : at > end; at += step) picked.push(items[at] ?? null);
  return typeof object === "string" ? picked.join("") : picked;
}

function boundOf(runtime: Runtime, bound: Value): number | undefined {
  if (bound === null) return undefined;
  if (typeof bound === "number" && Number.isInteger(bound)) return bound;
  return runtime.fail("the bounds of a slice must be whole numbers");
}

function clampBound(bound: number | undefined, length: number, low: number, high: number): number | undefined {
  if (bound === undefined) return undefined;
  return Math.min(Math.max(bound < 0 ? bound + length : bound, low), high);
}
