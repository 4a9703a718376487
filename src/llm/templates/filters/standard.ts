import { readItem } from "../../../expressions/evaluate/evaluate.js";
import type { Runtime } from "../../../expressions/evaluate/runtime.js";
import { type FunctionDefinition, itemsOf } from "../../../expressions/functions/function-definition.js";
import { pickExtreme, readNumber, ROUND, SUM } from "../../../expressions/functions/functions.js";
import { LOWER, REPLACE, STRIP, UPPER, CAPITALIZE } from "../../../expressions/functions/string-methods.js";
import { toPythonJson } from "../../../expressions/values/format.js";
import { orderValues } from "../../../expressions/values/compare.js";
import { charactersOf, textLength } from "../../../expressions/values/text.js";
import {
  isMap,
  isObject,
  isTruthy,
  toValue,
  toValueOr,
  UNDEFINED,
  type Value,
} from "../../../expressions/values/value.js";
import { defineFilter, integerArgument, printed, VALUES } from "../template-dialect.js";

/** Creates a filter from a string method. Other values are printed first, so an undefined value stays empty. */
function textFilter(name: string, { run, ...definition }: FunctionDefinition): FunctionDefinition {
  return {
    ...definition,
    name,
    run: (runtime, [value, ...given]) => run(runtime, [printed(value, runtime), ...given]),
  };
}

const TITLE = defineFilter("title", "", (value, _, runtime) => {
  const text = printed(value, runtime);
  runtime.chargeCharacters(text.length);
  return text.replace(/[^-\s({[<]+/g, (word) => CAPITALIZE.run(runtime, [word]) as string);
});

/** `truncate` leaves texts that are longer by at most this many characters. */
const LEEWAY = 5;

const TRUNCATE = defineFilter("truncate", "length?, killwords?, end?, leeway?", (value, given, runtime) => {
  const [length, isExact, end = "...", leeway] = given;
  if (typeof value !== "string") return value;
  const characters = charactersOf(runtime, value);
  const maximum = Math.max(0, integerArgument(length, 255));
  if (characters.length <= maximum + integerArgument(leeway, LEEWAY)) return characters.join("");
  const suffix = printed(end, runtime);
  const kept = characters.slice(0, Math.max(0, maximum - charactersOf(runtime, suffix).length)).join("");
  const space = isTruthy(toValue(isExact)) ? -1 : kept.lastIndexOf(" ");
  return kept.slice(0, space < 0 ? undefined : space) + suffix;
});

const TEXT_FILTERS: readonly FunctionDefinition[] = [
  textFilter("upper", UPPER),
  textFilter("lower", LOWER),
  textFilter("capitalize", CAPITALIZE),
  textFilter("trim", STRIP),
  TITLE,
  TRUNCATE,
  defineFilter("string", "", (value, _, runtime) => printed(value, runtime)),
  defineFilter("wordcount", "", (value, _, runtime) => {
    const text = printed(value, runtime);
    runtime.chargeCharacters(text.length);
    return text.match(/[\p{L}\p{M}\p{N}_]+/gu)?.length ?? 0;
  }),
  defineFilter("replace", "old, new, count?", (value, [old, by, count], runtime) => {
    const texts = [value, old, by].map((text) => printed(text, runtime));
    return REPLACE.run(runtime, [...texts, toValue(count)]);
  }),
];

/** Filters on lists; a text counts as its characters, a map as its keys, anything else as an empty list. */
const SEQUENCE_FILTERS: readonly FunctionDefinition[] = [
  ...["length", "count"].map((name) =>
    defineFilter(name, "", (value, _, runtime) => {
      return typeof value === "string" ? textLength(runtime, value) : itemsIn(value, runtime).length;
    }),
  ),
  defineFilter("first", "", (value, _, runtime) => itemsIn(value, runtime)[0]),
  defineFilter("last", "", (value, _, runtime) => itemsIn(value, runtime).at(-1)),
  defineFilter("join", "d?, attribute?", (value, [separator = "", attribute], runtime) => {
    const between = printed(separator, runtime);
    const items = itemsIn(value, runtime);
    let length = between.length * Math.max(0, items.length - 1);
    runtime.checkText(length);
    const texts = items.map((item) => {
      const text = printed(attribute === undefined ? item : readAttribute(runtime, item, attribute), runtime);
      runtime.checkText((length += text.length), text.length);
      return text;
    });
    return texts.join(between);
  }),
  defineFilter("items", "", (value, _, runtime) => pairsOf(value, runtime)),
  defineFilter(VALUES, "", (value, _, runtime) => pairsOf(value, runtime).map(([, item]) => item)),
  defineFilter("list", "", (value, _, runtime) => [...itemsIn(value, runtime)]),
  defineFilter("reverse", "", (value, _, runtime) => {
    const items = [...itemsIn(value, runtime)].reverse();
    return typeof value === "string" ? items.join("") : items;
  }),
  defineFilter("sort", "reverse?, case_sensitive?, attribute?", (value, [reverse, isExact, attribute], runtime) => {
    const keyed = itemsIn(value, runtime).map((item) => [keyOf(runtime, item, { isExact, attribute }), item] as const);
    const sign = isTruthy(toValue(reverse)) ? -1 : 1;
    return keyed.sort(([left], [right]) => sign * orderKeys(runtime, left, right)).map(([, item]) => item);
  }),
  ...([-1, 1] as const).map((sign) =>
    defineFilter(sign < 0 ? "min" : "max", "case_sensitive?, attribute?", (value, [isExact, attribute], runtime) => {
      const items = itemsIn(value, runtime);
      if (items.length === 0) return undefined;
      const keys = items.map((item) => keyOf(runtime, item, { isExact, attribute }));
      return items[keys.indexOf(pickExtreme(runtime, sign < 0 ? "min" : "max", [keys], sign))];
    }),
  ),
  defineFilter("sum", "attribute?, start?", (value, [attribute, start = 0], runtime) => {
    const items = itemsIn(value, runtime).map((item) => {
      return attribute === undefined ? toValue(item) : readAttribute(runtime, item, attribute);
    });
    return SUM.run(runtime, [items, toValue(start)]);
  }),
  defineFilter("batch", "linecount, fill_with?", (value, [count, filler], runtime) => {
    const size = Math.max(1, integerArgument(count, 1));
    const items = itemsIn(value, runtime);
    const rows = Array.from({ length: Math.ceil(items.length / size) }, (_, at) => {
      return items.slice(at * size, (at + 1) * size);
    });
    const missing = rows.length * size - items.length;
    if (filler === undefined || missing === 0) return rows;
    runtime.checkList(size);
    return [...rows.slice(0, -1), [...(rows.at(-1) ?? []), ...Array.from({ length: missing }, () => filler)]];
  }),
  defineFilter("unique", "case_sensitive?, attribute?", (value, [isExact, attribute], runtime) => {
    const items = itemsIn(value, runtime);
    const seen = new Set<string>();
    return items.filter((item) => {
      const key = toPythonJson(keyOf(runtime, item, { isExact, attribute }), runtime);
      return seen.size < seen.add(key).size;
    });
  }),
];

/** Value by which an item is sorted; texts without regard to case, as in Jinja. */
function keyOf(
  runtime: Runtime,
  item: unknown,
  { isExact, attribute }: { readonly isExact: unknown; readonly attribute: unknown },
): Value {
  const key = attribute === undefined ? toValueOr(item, UNDEFINED) : readAttribute(runtime, item, attribute);
  return typeof key === "string" && !isTruthy(toValue(isExact)) ? key.toLowerCase() : key;
}

/** A missing attribute keeps its place. */
function orderKeys(runtime: Runtime, left: Value, right: Value): number {
  return left === UNDEFINED || right === UNDEFINED ? 0 : orderValues(runtime, left, right);
}

/** Reads an attribute as Jinja does: a name, a number, or a path such as `address.city`. */
export function readAttribute(runtime: Runtime, item: unknown, attribute: unknown): Value {
  const path = typeof attribute === "string" ? attribute.split(".") : [toValue(attribute)];
  return path.reduce<Value>(
    (value, key) => readItem(runtime, value, typeof key === "string" && /^\d{1,9}$/.test(key) ? Number(key) : key),
    toValueOr(item, UNDEFINED),
  );
}

/** The keys of a map with their values; of anything else none. */
function pairsOf(value: unknown, runtime: Runtime): readonly (readonly [unknown, unknown])[] {
  const map = toValueOr(value, UNDEFINED);
  if (!isMap(map)) return [];
  return itemsIn(value, runtime).map((key) => [key, readItem(runtime, map, toValue(key))]);
}

/** Items of a list, characters of a text, keys of a map; of anything else none. */
export function itemsIn(value: unknown, runtime: Runtime): readonly unknown[] {
  const isCollection = typeof value === "string" || (typeof value === "object" && value !== null);
  return isCollection && !isObject(value as Value) ? itemsOf(runtime, "items", value as Value) : [];
}

/** Filters on numbers, and on texts that parse as one; anything else becomes the default. */
const NUMBER_FILTERS: readonly FunctionDefinition[] = [
  defineFilter("int", "default?", (value, [fallback = 0]) => {
    const number = toNumber(value);
    return number === undefined ? fallback : Math.trunc(number);
  }),
  defineFilter("abs", "", (value) => {
    const number = toNumber(value);
    return number === undefined ? value : Math.abs(number);
  }),
  defineFilter("float", "default?", (value, [fallback = 0]) => toNumber(value) ?? fallback),
  defineFilter("round", "precision?, method?", (value, [precision = 0, method], runtime) => {
    const number = toNumber(value);
    if (number === undefined) return value;
    if (method !== "ceil" && method !== "floor") return ROUND.run(runtime, [number, toValue(precision)]);
    const places = typeof precision === "number" ? Math.max(-MAX_PLACES, Math.min(MAX_PLACES, precision)) : 0;
    const factor = 10 ** places;
    return Math[method](number * factor) / factor;
  }),
];

const MAX_PLACES = 15;

function toNumber(value: unknown): number | undefined {
  if (typeof value === "boolean") return Number(value);
  const number = typeof value === "string" ? readNumber(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Filters shared by messages and prompts. */
export const STANDARD_FILTERS: readonly FunctionDefinition[] = [
  ...TEXT_FILTERS,
  ...SEQUENCE_FILTERS,
  ...NUMBER_FILTERS,
  defineFilter("default", "default_value?, boolean?", (value, [fallback = "", whenFalse = false]) => {
    const isMissing = value === undefined || (isTruthy(toValue(whenFalse)) && !isTruthy(toValueOr(value, UNDEFINED)));
    return isMissing ? fallback : value;
  }),
  defineFilter("tojson", "", (value, _, runtime) => toPythonJson(toValue(value), runtime)),
];
