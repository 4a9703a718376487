import { DEFAULT_EVALUATION_LIMITS, evaluationLimitError, bulkWork, WORK } from "../evaluate/runtime.js";
import { numberText } from "./number-text.js";
import { isList, isObject, isSet, readOwn, toValue, UNDEFINED, type Value, type ValueMap } from "./value.js";
import { deferPattern } from "../../diagnostics/defer-pattern.js";

/** Bounds on a text that is made of a value; an evaluation also counts the work. */
export interface TextLimits {
  readonly textLength: number;
  readonly depth: number;
  charge?(work: number): void;
}

/**
 * Formats a value like Python's `str`: `None`, `True`, `[1, 'a']`, `{'k': 1}`; a string is unchanged; `UNDEFINED` is
 * empty.
 *
 * @example
 * ```ts
 * toPythonText({ paid: true, items: ["tube"] }); // "{'paid': True, 'items': ['tube']}"
 * ```
 */
export function toPythonText(value: Value, limits: TextLimits = DEFAULT_EVALUATION_LIMITS): string {
  if (value === UNDEFINED) return "";
  return typeof value === "string" ? value : toPythonRepr(value, limits);
}

/** Formats a value like Python's `repr`: as `toPythonText`, with strings in quotes. */
export function toPythonRepr(value: Value, limits: TextLimits = DEFAULT_EVALUATION_LIMITS): string {
  return write(value, PYTHON, limits);
}

/** A value as `json.dumps` of Python writes it. */
export function toPythonJson(value: Value, limits: TextLimits = DEFAULT_EVALUATION_LIMITS): string {
  return write(value, { ...JSON_STYLE, comma: ", ", colon: ": ", number: numberText }, limits);
}

/**
 * Formats a value for an utterance: strings unchanged, numbers, booleans and `None` as in the language, lists and maps
 * as JSON.
 *
 * @example
 * ```ts
 * formatValue(4 / 2); // "2"
 * formatValue(["a", true]); // '["a",true]'
 * ```
 */
export function formatValue(value: Value, limits: TextLimits = DEFAULT_EVALUATION_LIMITS): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? write(value, JSON_STYLE, limits) : toPythonText(value, limits);
}

const PYTHON = {
  none: "None",
  yes: "True",
  no: "False",
  comma: ", ",
  colon: ": ",
  emptySet: "set()",
  openSet: "{",
  closeSet: "}",
  number: numberText,
  string: quotePython,
};

type Style = typeof PYTHON;

const JSON_STYLE: Style = {
  none: "null",
  yes: "true",
  no: "false",
  comma: ",",
  colon: ":",
  emptySet: "[]",
  openSet: "[",
  closeSet: "]",
  number: (value) => JSON.stringify(value),
  string: (value) => JSON.stringify(value),
};

function write(value: Value, style: Style, limits: TextLimits): string {
  const writer = new ValueWriter(style, limits);
  writer.write(value, 0);
  return writer.text;
}

class ValueWriter {
  text = "";

  constructor(
    readonly style: Style,
    readonly limits: TextLimits,
  ) {}

  write(value: Value, depth: number): void {
    const { style, limits } = this;
    if (depth > limits.depth) throw evaluationLimitError(limits, "depth", "a value is too deeply nested to be written");
    limits.charge?.(WORK.written);
    if (value === null) this.#add(style.none);
    else if (typeof value === "string") this.#addQuoted(value);
    else if (typeof value === "number") this.#add(style.number(value));
    else if (typeof value === "boolean") this.#add(value ? style.yes : style.no);
    else if (isList(value)) this.#writeItems(value, "[", "]", depth);
    else if (isSet(value)) {
      if (value.size === 0) this.#add(style.emptySet);
      else this.#writeItems([...value], style.openSet, style.closeSet, depth);
    } else if (isObject(value)) this.#add(value.toText());
    else this.#writeEntries(value, depth);
  }

  #writeItems(items: readonly Value[], open: string, close: string, depth: number): void {
    this.#add(open);
    for (let at = 0; at < items.length; at += 1) {
      if (at > 0) this.#add(this.style.comma);
      this.write(toValue(items[at]), depth + 1);
    }
    this.#add(close);
  }

  #writeEntries(map: ValueMap, depth: number): void {
    this.#add("{");
    for (const [at, key] of Object.keys(map).entries()) {
      if (at > 0) this.#add(this.style.comma);
      this.#addQuoted(key);
      this.#add(this.style.colon);
      this.write(readOwn(map, key) ?? null, depth + 1);
    }
    this.#add("}");
  }

  #addQuoted(text: string): void {
    // Escapes are added one by one, so a result that would be too long is rejected early.
    this.#check(text.length);
    this.limits.charge?.(text.length * WORK.character);
    this.#add(this.style.string(text));
  }

  #add(text: string): void {
    this.#check(text.length);
    this.limits.charge?.(bulkWork(text.length));
    this.text += text;
  }

  #check(length: number): void {
    if (this.text.length + length <= this.limits.textLength) return;
    throw evaluationLimitError(this.limits, "textLength", "a value is too long to be written");
  }
}

/** Single quotes unless only they occur in the text; control characters and lone surrogates as escapes. */
function quotePython(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(needsEscape(), (character) => {
    if (character === "'") return quote === "'" ? "\\'" : "'";
    return ESCAPES[character] ?? escapeCode(character);
  });
  return quote + escaped + quote;
}

const needsEscape = deferPattern(String.raw`['\\]|[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\xad\ufeff]`, "gu");

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `\xHH` or `\uHHHH`; above that a pair of `\uHHHH`, which is all the language has. */
export function escapeCode(character: string): string {
  let escaped = "";
  for (let at = 0; at < character.length; at += 1) {
    const code = character.charCodeAt(at).toString(16);
    escaped += code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code.padStart(4, "0")}`;
  }
  return escaped;
}
