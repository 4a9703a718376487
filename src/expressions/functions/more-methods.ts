import { defineFunction, type FunctionArguments, type FunctionDefinition } from "./function-definition.js";
import type { Runtime } from "../evaluate/runtime.js";
import { findAllText, isSpace, textLength } from "../values/text.js";
import { describeType, type Value } from "../values/value.js";

/*
 * String methods that only Colang 2.x has. The first argument of each is the value itself; the evaluator has checked its type.
 */

export const CAPITALIZE = defineFunction("capitalize", "", (runtime, [self]) => {
  const text = textOf(self);
  if (text === "") return text;
  runtime.chargeCharacters(text.length);
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const changed = first.toUpperCase() + text.slice(first.length).toLowerCase();
  runtime.checkText(changed.length);
  return changed;
});

const IS_ALPHA = testMethod("isalpha", /^\p{L}+$/u);

const IS_SPACE = testMethod("isspace", /^[\s\x1c-\x1f\x85]+$/u);

function testMethod(name: string, pattern: RegExp): FunctionDefinition {
  return defineFunction(name, "", (runtime, [self]) => {
    runtime.chargeCharacters(textOf(self).length);
    return pattern.test(textOf(self));
  });
}

const ZFILL = defineFunction("zfill", "width", (runtime, [self, width]) => {
  const text = textOf(self);
  if (typeof width !== "number" || !Number.isInteger(width)) return runtime.fail("`zfill` needs a whole number");
  const missing = Math.max(0, width - textLength(runtime, text));
  runtime.checkText(text.length + missing);
  const sign = /^[+-]/.test(text) ? text.slice(0, 1) : "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
});

const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

const SPLIT_LINES = defineFunction("splitlines", "", (runtime, [self]) => {
  const text = textOf(self);
  runtime.chargeEntries(text.length);
  const lines = text.split(LINE_END, runtime.limits.listLength + 1);
  runtime.checkList(lines.length);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
});

const RSPLIT = defineFunction("rsplit", "sep?, maxsplit?", (runtime, [self, separator, count]) => {
  const text = textOf(self);
  const wanted = separator ?? null;
  const most = typeof count === "number" && count >= 0 ? count : Number.POSITIVE_INFINITY;
  if (wanted === null) return splitBlanksFromEnd(runtime, text, most);
  if (typeof wanted !== "string") return runtime.fail(`\`rsplit\` needs a string, not ${describeType(wanted)}`);
  if (wanted === "") return runtime.fail("`rsplit` needs a separator that is not empty");
  const found = findAllText(runtime, text, wanted, runtime.limits.listLength + 1);
  runtime.checkList(found.length + 1);
  const parts: string[] = [];
  let from = 0;
  for (const at of found.slice(Math.max(0, found.length - most))) {
    parts.push(text.slice(from, at));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
});

function splitBlanksFromEnd(runtime: Runtime, text: string, most: number): readonly string[] {
  runtime.chargeCharacters(text.length);
  const parts: string[] = [];
  let at = text.length;
  for (;;) {
    while (at > 0 && isSpace(text.charAt(at - 1))) at -= 1;
    if (at === 0) break;
    runtime.checkSize(parts.length + 1);
    if (parts.length >= most) {
      let start = 0;
      while (isSpace(text.charAt(start))) start += 1;
      parts.push(text.slice(start, at));
      break;
    }
    const end = at;
    while (at > 0 && !isSpace(text.charAt(at - 1))) at -= 1;
    parts.push(text.slice(at, end));
  }
  runtime.checkList(parts.length);
  return parts.reverse();
}

// INVARIANT: the evaluator calls a method only on a value of the type whose table it was found in.
function textOf(self: FunctionArguments[number]): string {
  return self as string & Value;
}

export const MORE_STRING_METHODS: readonly FunctionDefinition[] = [
  CAPITALIZE,
  IS_ALPHA,
  IS_SPACE,
  ZFILL,
  SPLIT_LINES,
  RSPLIT,
];
