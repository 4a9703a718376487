import { deferPattern } from "../../diagnostics/defer-pattern.js";
import type { Runtime } from "../evaluate/runtime.js";
import { textLength } from "../values/text.js";
import type { Value } from "../values/value.js";
import { defineMethod, type FunctionDefinition } from "./function-definition.js";
import { textArgument, wholeArgument } from "./string-arguments.js";

/* The methods that test the characters of a text, and those that fill it up to a width. */

const lettersOnly = deferPattern(String.raw`^\p{L}+$`, "u");
const digitsOnly = deferPattern(String.raw`^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+$`, "u");
const decimalsOnly = deferPattern(String.raw`^\p{Nd}+$`, "u");
const numbersOnly = deferPattern(String.raw`^\p{N}+$`, "u");
const lettersAndNumbersOnly = deferPattern(String.raw`^[\p{L}\p{N}]+$`, "u");
const small = deferPattern(String.raw`\p{Lowercase}`, "u");
const capital = deferPattern(String.raw`[\p{Uppercase}\p{Lt}]`, "u");
/** A capital after a cased letter, or a small letter that starts a word. */
const noTitle = deferPattern(
  String.raw`[\p{Lowercase}\p{Uppercase}\p{Lt}][\p{Uppercase}\p{Lt}]|(?<![\p{Lowercase}\p{Uppercase}\p{Lt}])\p{Lowercase}`,
  "u",
);
const identifier = deferPattern(String.raw`^[\p{XID_Start}_]\p{XID_Continue}*$`, "u");
const unprintable = deferPattern(String.raw`[\p{C}\p{Z}]`, "u");

/** @param test - compiles its pattern when called, since Unicode classes are costly */
function testMethod(name: string, test: (text: string) => boolean): FunctionDefinition {
  return defineMethod<string>(name, "", (runtime, text) => {
    runtime.chargeCharacters(text.length);
    return test(text);
  });
}

/** @param leftOf - number of padding characters on the left */
function fillMethod(name: string, leftOf: (missing: number, width: number) => number): FunctionDefinition {
  return defineMethod<string>(name, "width, fill?", (runtime, text, [given, filling]) => {
    const width = wholeArgument(runtime, name, given);
    const fill = fillArgument(runtime, name, filling);
    const missing = missingCharacters(runtime, text, width, fill.length);
    const left = leftOf(missing, width);
    return fill.repeat(left) + text + fill.repeat(missing - left);
  });
}

function fillArgument(runtime: Runtime, name: string, value: Value = null): string {
  const fill = value === null ? " " : textArgument(runtime, name, value);
  return textLength(runtime, fill) === 1 ? fill : runtime.fail(`\`${name}\` fills with one character`);
}

function missingCharacters(runtime: Runtime, text: string, width: number, unit: number): number {
  const missing = Math.max(0, width - textLength(runtime, text));
  runtime.checkText(text.length + missing * unit);
  return missing;
}

const TAB_STOP = 8;

/** Text with blanks up to the next stop in place of each tab. */
function expandTabs(runtime: Runtime, text: string, stop: number): string {
  runtime.chargeEntries(text.length);
  let column = 0;
  let expanded = "";
  for (const character of text) {
    if (character === "\t") {
      const blanks = stop > 0 ? stop - (column % stop) : 0;
      runtime.checkText(expanded.length + blanks);
      expanded += " ".repeat(blanks);
      column += blanks;
      continue;
    }
    expanded += character;
    column = character === "\n" || character === "\r" ? 0 : column + 1;
  }
  runtime.checkText(expanded.length);
  return expanded;
}

export const STRING_SHAPE_METHODS: readonly FunctionDefinition[] = [
  testMethod("isalpha", (text) => lettersOnly().test(text)),
  testMethod("isdigit", (text) => digitsOnly().test(text)),
  testMethod("isdecimal", (text) => decimalsOnly().test(text)),
  testMethod("isnumeric", (text) => numbersOnly().test(text)),
  testMethod("isalnum", (text) => lettersAndNumbersOnly().test(text)),
  testMethod("isspace", (text) => /^[\s\x1c-\x1f\x85]+$/u.test(text)),
  testMethod("islower", (text) => small().test(text) && !capital().test(text)),
  testMethod("isupper", (text) => capital().test(text) && !small().test(text)),
  testMethod("istitle", (text) => capital().test(text) && !noTitle().test(text)),
  testMethod("isidentifier", (text) => identifier().test(text)),
  testMethod("isascii", (text) => !/[^\0-\x7f]/.test(text)),
  testMethod("isprintable", (text) => !unprintable().test(text.replaceAll(" ", ""))),
  fillMethod("center", (missing, width) => (missing >> 1) + (missing & width & 1)),
  fillMethod("ljust", () => 0),
  fillMethod("rjust", (missing) => missing),
  defineMethod<string>("zfill", "width", (runtime, text, [width]) => {
    const missing = missingCharacters(runtime, text, wholeArgument(runtime, "zfill", width), 1);
    const sign = /^[+-]/.test(text) ? text.slice(0, 1) : "";
    return sign + "0".repeat(missing) + text.slice(sign.length);
  }),
  defineMethod<string>("expandtabs", "tabsize?", (runtime, text, [size]) =>
    expandTabs(runtime, text, size === undefined ? TAB_STOP : wholeArgument(runtime, "expandtabs", size)),
  ),
];
