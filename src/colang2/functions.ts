import { COMPARISONS, type ComparisonName, ComparisonValue } from "../expressions/values/number-text.js";
import { defineFunction, type FunctionDefinition, itemsOf } from "../expressions/functions/function-definition.js";
import { addToSet } from "../expressions/functions/collection-methods.js";
import { keysOf } from "../expressions/values/compare.js";
import { toPythonText, toPythonRepr } from "../expressions/values/format.js";
import { WORK, type Runtime } from "../expressions/evaluate/runtime.js";
import {
  compileSteps,
  findAllMatches,
  searchPattern,
  searchSteps,
  PatternValue,
} from "../expressions/values/pattern.js";
import {
  createMap,
  describeType,
  isList,
  isMap,
  isObject,
  isSet,
  readOwn,
  toValue,
  type Value,
} from "../expressions/values/value.js";

/*
 * Functions of Colang 2.x beyond the basic ones. Those that only the engine can compute are resolved by the scope.
 */

const LIST = defineFunction("list", "items?", (runtime, [given]) => {
  if (given === undefined) return [];
  const items = itemsOf(runtime, "list", given);
  runtime.checkList(items.length);
  return [...items];
});

const SET = defineFunction("set", "items?", (runtime, [items]) => {
  const set = new Set<Value>();
  if (items !== undefined) for (const item of itemsOf(runtime, "set", items)) addToSet(runtime, set, toValue(item));
  return set;
});

const DICT = defineFunction("dict", "items?, **named", (runtime, [items, named]) => {
  const map = createMap();
  if (items !== undefined && isMap(items)) {
    for (const key of keysOf(runtime, items)) map[key] = readOwn(items, key) ?? null;
  } else if (items !== undefined) {
    const pairs = itemsOf(runtime, "dict", items);
    runtime.checkList(pairs.length);
    for (const pair of pairs) {
      runtime.chargeEntries(1);
      const [key, value] = isList(pair) && pair.length === 2 ? pair : runtime.fail("`dict` needs pairs");
      map[toPythonText(toValue(key), runtime)] = toValue(value);
    }
  }
  if (named !== undefined && isMap(named)) {
    for (const key of keysOf(runtime, named)) map[key] = readOwn(named, key) ?? null;
  }
  const size = keysOf(runtime, map).length;
  runtime.checkSize(size);
  runtime.charge(size * WORK.key);
  return map;
});

const REGEX = defineFunction("regex", "pattern", (runtime, [pattern]) => patternOf(runtime, "regex", pattern));

const SEARCH = defineFunction("search", "pattern, text", (runtime, [given, text]) => {
  const { pattern } = patternOf(runtime, "search", given);
  const subject = subjectOf(runtime, "search", text);
  runtime.budget?.spend(searchSteps(pattern, subject));
  return searchPattern(pattern, subject);
});

const FIND_ALL = defineFunction("find_all", "pattern, text", (runtime, [given, text]) => {
  const { pattern } = patternOf(runtime, "find_all", given);
  const subject = subjectOf(runtime, "find_all", text);
  runtime.budget?.spend(searchSteps(pattern, subject));
  return findAllMatches(pattern, subject, runtime.budget);
});

const MAX_KNOWN_PATTERNS = 200;
const known = new Map<string, PatternValue>();

/** Each pattern source is compiled once; pattern values are immutable. */
function patternOf(runtime: Runtime, name: string, given: Value | undefined): PatternValue {
  if (given instanceof PatternValue) return given;
  if (typeof given !== "string") return runtime.fail(`\`${name}\` needs a pattern, not ${describeType(given ?? null)}`);
  const found = known.get(given);
  if (found) return found;
  runtime.budget?.spend(compileSteps(given));
  const value = new PatternValue(given);
  if (known.size >= MAX_KNOWN_PATTERNS) known.delete(known.keys().next().value ?? "");
  known.set(given, value);
  return value;
}

/** Numbers and booleans are searched as written. */
function subjectOf(runtime: Runtime, name: string, given: Value | undefined): string {
  if (typeof given === "string") return given;
  if (typeof given === "number" || typeof given === "boolean") return toPythonText(given, runtime);
  return runtime.fail(`\`${name}\` searches in a string, not in ${describeType(given ?? null)}`);
}

function comparison(name: ComparisonName): FunctionDefinition {
  return defineFunction(name, "bound", (runtime, [bound]) =>
    typeof bound === "number"
      ? new ComparisonValue(name, bound)
      : runtime.fail(`\`${name}\` needs a number, not ${describeType(bound ?? null)}`),
  );
}

function test(name: string, holds: (value: Value) => boolean): FunctionDefinition {
  return defineFunction(name, "value", (_, [value]) => holds(value ?? null));
}

const TYPE = defineFunction("type", "value", (_, [value]) => typeNameOf(value ?? null));

function typeNameOf(value: Value): string {
  if (value === null) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (typeof value === "string") return "str";
  if (isList(value)) return "list";
  if (isSet(value)) return "set";
  return isObject(value) ? value.typeName : "dict";
}

const ESCAPE = defineFunction("escape", "text", (runtime, [text]) => {
  if (typeof text !== "string") return runtime.fail(`\`escape\` needs a string, not ${describeType(text ?? null)}`);
  runtime.charge(text.length * WORK.replacement);
  const escaped = text.replace(/["'\\]/g, "\\$&").replace(/[{}]/g, "$&$&");
  runtime.checkText(escaped.length);
  return escaped;
});

const PRETTY = defineFunction("pretty_str", "value", (runtime, [value]) => prettyText(runtime, value ?? null));

const RANDOM_INTEGER = defineFunction("randint", "below", (runtime, [below]) =>
  typeof below === "number" && Number.isInteger(below) && below > 0
    ? runtime.ask("randint", below)
    : runtime.fail("`randint` needs a whole number above 0"),
);

/** A function computed by the engine. */
function question(name: string, signature: string): FunctionDefinition {
  return defineFunction(name, signature, (runtime, given) => runtime.ask(name, ...given.map((value) => value ?? null)));
}

/** A function of a name, computed by the engine. */
function named(name: string, signature: string): FunctionDefinition {
  return defineFunction(name, signature, (runtime, [subject, args]) => {
    if (typeof subject !== "string") {
      return runtime.fail(`\`${name}\` needs the name as a string, not ${describeType(subject ?? null)}`);
    }
    return runtime.ask(name, subject, args ?? createMap());
  });
}

export const COLANG_2_FUNCTIONS: readonly FunctionDefinition[] = [
  LIST,
  SET,
  DICT,
  REGEX,
  SEARCH,
  FIND_ALL,
  ...(Object.keys(COMPARISONS) as ComparisonName[]).map(comparison),
  test("is_int", (value) => typeof value === "number" && Number.isInteger(value)),
  test("is_float", (value) => typeof value === "number" && !Number.isInteger(value)),
  test("is_bool", (value) => typeof value === "boolean"),
  test("is_str", (value) => typeof value === "string"),
  test("is_regex", (value) => value instanceof PatternValue),
  TYPE,
  ESCAPE,
  PRETTY,
  question("uid", ""),
  question("rand", ""),
  RANDOM_INTEGER,
  question("flows_info", "uid?"),
  named("flow", "name, **named"),
  named("action", "name, **named"),
  named("flow_exists", "name"),
  named("flow_running", "name"),
];

const STEP = "    ";

/** A list or a dictionary as JSON over several indented lines; other values as `str` writes them. */
function prettyText(runtime: Runtime, value: Value): string {
  if (typeof value === "string") return value;
  return isList(value) || isSet(value) || isMap(value) ? write(runtime, value, "", 0) : toPythonRepr(value, runtime);
}

function write(runtime: Runtime, value: Value, margin: string, depth: number): string {
  if (depth > runtime.limits.depth) runtime.exceed("depth", "a value is too deeply nested to be written");
  const inner = margin + STEP;
  const items = linesOf(value, (item) => write(runtime, item, inner, depth + 1));
  if (items === undefined) return writeLeaf(runtime, value);
  const [open, close] = isMap(value) ? ["{", "}"] : ["[", "]"];
  if (items.length === 0) return open + close;
  const text = `${open}\n${items.map((item) => inner + item).join(",\n")}\n${margin}${close}`;
  runtime.checkText(text.length);
  return text;
}

function writeLeaf(runtime: Runtime, value: Value): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  const text = toPythonRepr(value, runtime);
  return typeof value === "number" ? text : JSON.stringify(text);
}

function linesOf(value: Value, writeItem: (item: Value) => string): readonly string[] | undefined {
  if (isList(value) || isSet(value)) return [...value].map((item) => writeItem(toValue(item)));
  if (!isMap(value)) return undefined;
  return Object.keys(value).map((key) => `${JSON.stringify(key)}: ${writeItem(readOwn(value, key) ?? null)}`);
}
