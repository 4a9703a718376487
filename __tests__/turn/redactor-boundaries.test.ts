// Lengths, positions and overlaps at which a redactor decides.
import { describe, expect, it } from "@jest/globals";
import { quotesIn, redactData, textsIn } from "../../src/turn/redact-data.js";
import { createRedactor, type HiddenText, QUOTE_LENGTH, type RedactorOptions } from "../../src/turn/redactor.js";

type Hidden = string | HiddenText;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const [L11, L12, L13] = [11, 12, 13].map((length) => LETTERS.slice(0, length)) as [string, string, string];

const redact = (hidden: readonly Hidden[], text: string, options?: RedactorOptions): string =>
  createRedactor(hidden, options)?.redact(text) ?? text;
const quotes = (hidden: readonly Hidden[], text: string, options?: RedactorOptions): boolean =>
  createRedactor(hidden, options)?.quotes(text) ?? false;

describe("lengths", () => {
  it("are counted by the one threshold", () => {
    expect(QUOTE_LENGTH).toBe(12);
  });

  it.each<[string, string, string]>([
    // A hidden text of 11 characters is a word of its own; longer ones are found inside of words.
    [L11, L11, "…"],
    [L11, `x${L11}`, `x${L11}`],
    [L11, `${L11}x`, `${L11}x`],
    [L11, `(${L11})`, "(…)"],
    [L11, L11.slice(1), L11.slice(1)],
    [L12, L12, "…"],
    [L12, `x${L12}y`, "x…y"],
    [L12, L12.slice(1), L12.slice(1)],
    [L13, `x${L13}y`, "x…y"],
    [L13, L13.slice(1), "…"],
    [L13, L13.slice(0, -1), "…"],
    [L13, L13.slice(1, -1), L13.slice(1, -1)],
    [LETTERS, LETTERS.slice(0, 11), LETTERS.slice(0, 11)],
    [LETTERS, LETTERS.slice(0, 12), "…"],
    [LETTERS, LETTERS.slice(-11), LETTERS.slice(-11)],
    [LETTERS, LETTERS.slice(-12), "…"],
    [LETTERS, `<${LETTERS.slice(5, 20)}>`, "<…>"],
    [LETTERS, `<${LETTERS.slice(5, 16)}>`, `<${LETTERS.slice(5, 16)}>`],
    [LETTERS, `${LETTERS.slice(0, 12)} ${LETTERS.slice(20, 32)}`, "… …"],
    [LETTERS, LETTERS.slice(0, 12) + LETTERS.slice(20, 32), "……"],
    [LETTERS, LETTERS.slice(0, 12) + LETTERS.slice(20, 31), `…${LETTERS.slice(20, 31)}`],
    ["a", "a b a", "… b …"],
    ["a", "aa", "aa"],
    ["a b", "a b a b", "… …"],
    ["aa", "aa aa", "… …"],
  ])("of %j in %j", (hidden, text, expected) => {
    expect(redact([hidden], text)).toBe(expected);
    expect(quotes([hidden], text)).toBe(text !== expected);
  });
});

describe("words around a short hidden text", () => {
  it.each<[string, string, boolean]>([
    ["bob", "bob", true],
    ["bob", " bob ", true],
    ["bob", "bob1", false],
    ["bob", "1bob", false],
    ["bob", "_bob", false],
    ["bob", "-bob-", true],
    ["bob", "ябоб bob", true],
    ["bob", "яbob", false],
    ["bob", "𝔸bob", false],
    ["bob", "😀bob😀", true],
    ["bob", "bobbob", false],
    ["bob", "bobbob bob", true],
    ["bob", "毒bob品", true],
    ["毒", "毒品", true],
    ["毒", "a毒b", true],
    ["ยา", "กยาก", true],
    ["の", "xのx", true],
    ["-x", "a-x", true],
    ["x-", "x-a", true],
    ["-x-", "a-x-a", true],
    ["-x", "a-xy", false],
    ["𐐷", "a𐐷", false],
    ["𐐷", "(𐐷)", true],
  ])("%j in %j: %p", (hidden, text, expected) => {
    expect(quotes([hidden], text)).toBe(expected);
    expect(redact([hidden], text) !== text).toBe(expected);
  });
});

describe("replacements", () => {
  const before = "call Bob Stone at once";

  it.each<[string, string, string, string]>([
    ["shorter", "call X at once", `so: ${before}!`, "so: call X at once!"],
    ["longer", "call [a person without a name] at once", before, "call [a person without a name] at once"],
    ["empty", "", before, ""],
    ["empty, of a part", "", "call Bob Stone", "…"],
    ["of blanks", "  ", before, "  "],
    ["the same", before, before, before],
    ["the same in other letters", before.toUpperCase(), before, before],
    ["with the text in it", `(${before})`, before, before],
    ["of a part that is kept elsewhere", "call Bob or Stone at once, Bob Stone", "Bob Stone", "Bob Stone"],
    ["of the removed part", "call X at once", "Bob Stone", "…"],
    ["of the removed part, in a word", "call X at once", "Bob Stoned", "Bob Stoned"],
    ["of half of the removed part", "call X at once", "Bob", "Bob"],
    ["of a part around the change", "call X at once", "all Bob Stone at", "…"],
    ["of a short text before", "call X at once", "call Bob S.", "call Bob S."],
  ])("%s", (_title, replacement, text, expected) => {
    expect(redact([{ text: before, replacement }], text)).toBe(expected);
  });

  it.each<[string, readonly Hidden[], RedactorOptions | undefined, boolean]>([
    ["no text", [], undefined, false],
    ["an empty text", [""], undefined, false],
    ["blanks", [" \n"], undefined, false],
    ["an empty text that was rewritten", [{ text: "", replacement: "x" }], undefined, false],
    ["a text", ["x"], undefined, true],
    ["a text without a replacement", [{ text: "x" }], undefined, true],
    ["a text with a replacement that is not set", [{ text: "x", replacement: undefined }], undefined, true],
    ["a text whose parts may stay", ["x"], { parts: false }, true],
  ])("hide anything: %s", (_title, hidden, options, expected) => {
    expect(createRedactor(hidden, options) !== undefined).toBe(expected);
  });

  it.each([",", " .\n", "?!"])("hides nothing for the punctuation %j", (text) => {
    expect(createRedactor([text])?.redact("found EMAIL_ADDRESS, PHONE_NUMBER.")).toBeUndefined();
  });

  it.each(["!!!", "7", "x,"])("hides %j", (text) => {
    expect(createRedactor([text])?.redact(`it says ${text} here`)).toBe("it says … here");
  });

  it("of one text are those of its first entry", () => {
    const other = { text: "CALL Bob Stone at once", replacement: "two" };
    expect(redact([{ text: before, replacement: "one" }, other], before)).toBe("one");
    expect(redact([before, other], before)).toBe("…");
  });

  it.each<[string, readonly Hidden[], string, string]>([
    ["a longer text around a shorter one", ["bob", "bob stone"], "bob stone and bob", "… and …"],
    ["two texts that overlap", ["bob stone", "stone road"], "at bob stone road 1", "at … 1"],
    ["two texts that touch", ["毒", "品"], "毒品", "……"],
    ["two texts in two places", ["bob", "eve"], "eve and bob", "… and …"],
    [
      "a whole text of which a part is another's",
      [{ text: "bob of stone", replacement: "X" }, "stone"],
      "bob of stone",
      "X",
    ],
    [
      "a whole text that overlaps with another",
      [{ text: "bob of stone", replacement: "X" }, "stone road"],
      "bob of stone road",
      "…",
    ],
    ["equal starts", ["bob of", { text: "bob of stone", replacement: "X" }], "bob of stone", "X"],
  ])("of several texts: %s", (_title, hidden, text, expected) => {
    expect(redact(hidden, text)).toBe(expected);
  });

  it.each<[string, string]>([
    [`x ${LETTERS} y`, "x … y"],
    [`x  ${LETTERS.slice(0, 13)}  y`, "x  …  y"],
    [`"${LETTERS}"`, '"…"'],
    [JSON.stringify(JSON.stringify(`${LETTERS}\n`)), '"\\"…\\\\n\\""'],
    [LETTERS.toUpperCase(), "…"],
    [`é ${[...LETTERS].join("\u0301")}é`, "é …é"],
  ])("are at the position of the quote in %j", (text, expected) => {
    expect(redact([LETTERS], text)).toBe(expected);
  });

  it.each<[string, string]>([
    ["so two three four", "so …"],
    ["two three four so", "… so"],
    ["so two three four so", "so … so"],
  ])("keep the blanks around a part: %j", (text, expected) => {
    expect(redact(["one two three four five"], text)).toBe(expected);
  });
});

describe("shown texts", () => {
  it.each<[string, readonly Hidden[], string, RedactorOptions, string]>([
    ["keep a part", [LETTERS], LETTERS.slice(0, 20), { shown: [LETTERS.slice(0, 20)] }, LETTERS.slice(0, 20)],
    [
      "keep no other part",
      [LETTERS],
      LETTERS.slice(0, 21),
      { shown: [LETTERS.slice(0, 20)] },
      `${LETTERS.slice(0, 9)}…`,
    ],
    ["keep no complete copy", [LETTERS], LETTERS, { shown: [LETTERS] }, "…"],
    ["are compared folded", [LETTERS], LETTERS.slice(0, 20), { shown: [LETTERS.toUpperCase()] }, LETTERS.slice(0, 20)],
    [
      "keep parts of rewritten texts",
      [{ text: LETTERS, replacement: "X" }],
      LETTERS.slice(0, 20),
      { shown: [LETTERS] },
      LETTERS.slice(0, 20),
    ],
    [
      "are also what rails made of a text",
      [{ text: `Bob ${LETTERS}`, replacement: `X ${LETTERS}` }],
      LETTERS,
      {},
      LETTERS,
    ],
    ["hide parts that no copy completes", [LETTERS], LETTERS.slice(0, 20), { parts: false }, LETTERS.slice(0, 20)],
    ["hide complete copies within words", [L12], `x${L12}y`, { parts: false }, "x…y"],
    ["hide no short copies within words", [L11], `x${L11}y`, { parts: false }, `x${L11}y`],
    ["hide complete copies", [LETTERS], `x ${LETTERS}`, { parts: false }, "x …"],
    ["hide no removed part", [{ text: "Bob is here", replacement: "X is here" }], "Bob", { parts: false }, "Bob"],
    ["hide removed parts", [{ text: "Bob is here", replacement: "X is here" }], "Bob", { parts: true }, "…"],
  ])("%s", (_title, hidden, text, options, expected) => {
    expect(redact(hidden, text, options)).toBe(expected);
    expect(quotes(hidden, text, options)).toBe(text !== expected);
  });
});

describe("long texts", () => {
  const numbers = (from: number, count: number): string =>
    Array.from({ length: count }, (_, at) => `n${from + at}`).join(" ");
  const hidden = numbers(0, 400);
  const other = numbers(1000, 400);

  it.each<[string, string, string]>([
    ["a part at their start", `${hidden.slice(0, 13)}! ${other}`, `…! ${other}`],
    ["a part at their end", `${other} ${hidden.slice(-12)}`, `${other} …`],
    ["a part that is too short", `${other} ${hidden.slice(-11)}`, `${other} ${hidden.slice(-11)}`],
    ["no part", other, other],
    ["all of them", `${other} ${hidden} ${other}`, `${other} … ${other}`],
  ])("hide %s", (_title, text, expected) => {
    const redactor = createRedactor([hidden]);
    expect(hidden.length * text.length).toBeGreaterThan(2_000_000);
    expect(redactor?.redact(text)).toBe(expected);
    // With an index, short texts are looked up in it as well.
    expect([hidden.slice(5, 17), hidden.slice(5, 16)].map((part) => redactor?.quotes(part))).toEqual([true, false]);
    expect(redactor?.quotes(text)).toBe(text !== expected);
  });
});

describe("values that quote", () => {
  const redactor = createRedactor(["123456", "a hidden text"]);
  if (redactor === undefined) throw new Error("there is nothing to hide");
  const hidden = "a hidden text";
  class Inherited {
    get said(): string {
      return hidden;
    }
  }
  class Derived extends Inherited {}
  const failing = {
    get inner(): string {
      throw new Error("closed");
    },
  };
  const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : [nested(depth - 1, value)]);

  const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0);

  it.each<[string, unknown, boolean]>([
    ["a text", hidden, true],
    ["another text", "a text", false],
    ["a number of six digits", 123_456, true],
    ["a bigint", 123_456n, true],
    ["a longer number", 1_234_567, false],
    ["a property", { a: hidden }, true],
    ["a key", { [hidden]: undefined }, true],
    ["a symbol key", { [Symbol("x")]: hidden }, true],
    ["a list", ["x", hidden], true],
    ["an extra key of a list", Object.assign([], { note: hidden }), true],
    ["a key of a map", new Map([[hidden, 1]]), true],
    ["a value of a map", new Map([["x", { a: hidden }]]), true],
    ["another map", new Map([["x", "y"]]), false],
    ["a set", new Set([hidden]), true],
    ["another set", new Set(["x"]), false],
    ["bytes", new TextEncoder().encode(hidden), true],
    ["other bytes", new TextEncoder().encode("x"), false],
    ["a property that is not enumerable", Object.defineProperty({}, "x", { value: hidden }), true],
    ["an inherited getter", new Derived(), true],
    ["a function", { a: () => hidden }, false],
    ["a getter that fails", failing, true],
    ["undefined", undefined, false],
    ["null", null, false],
    ["true", true, false],
    [
      "the constructor's name alone",
      new (class {
        readonly a = 1;
      })(),
      false,
    ],
    ["deep lists", nested(500, hidden), true],
    ["more values than the limit", [...zeros(100_001), {}], true],
    ["as many values as the limit", [...zeros(100_000), {}], false],
    ["more objects than the limit", zeros(100_000).map(() => []), true],
    ["as many objects as the limit", zeros(99_999).map(() => []), false],
  ])("%s", (_title, value, expected) => {
    expect(quotesIn(value, redactor)).toBe(expected);
    if (!expected) expect(redactData(value, redactor)).toBe(value);
  });

  it("are not class instances because of the name `constructor`", () => {
    const word = createRedactor(["constructor"]);
    if (word === undefined) throw new Error("there is nothing to hide");
    expect([quotesIn(new Date(0), word), quotesIn({ kept: new Derived() }, word)]).toEqual([false, false]);
    expect(quotesIn({ said: "the constructor" }, word)).toBe(true);
  });

  it.each<[string, unknown, unknown, "drop" | "mark"]>([
    ["a text", hidden, undefined, "drop"],
    ["a marked text", `so: ${hidden}!`, "so: …!", "mark"],
    ["a number", { a: 123_456, b: 7, c: 654_321, d: 123_456n }, { b: 7, c: 654_321 }, "mark"],
    ["other values", { a: hidden, b: null, c: true, d: 5n }, { b: null, c: true, d: 5n }, "drop"],
    ["a list", [hidden, 1, [hidden, 2]], [1, [2]], "drop"],
    ["a marked list", [hidden, 1], ["…", 1], "mark"],
    ["a key", { [hidden]: 1, a: 2 }, { a: 2 }, "mark"],
    ["an object of a class", { a: new Inherited(), b: 1 }, { b: 1 }, "mark"],
    ["an object without a prototype", Object.assign(Object.create(null), { a: hidden, b: 1 }), { b: 1 }, "drop"],
    ["an error that is dropped", { a: new Error(hidden), b: 1 }, { b: 1 }, "drop"],
    ["a getter that fails", { failing, b: hidden }, { failing: {}, b: "…" }, "mark"],
  ])("are copied without: %s", (_title, value, expected, strings) => {
    expect(redactData(value, redactor, strings)).toEqual(expected);
    if (strings === "drop") expect(redactData(value, redactor)).toEqual(expected);
    expect(redactData(value, undefined)).toBe(value);
  });

  it("keep the same object in two places as one", () => {
    const kept = new Date(0);
    const [list, error] = [[hidden, 1], new Error(hidden)];
    const copy = redactData({ list, again: list, kept, also: kept, error, same: error }, redactor, "mark");
    expect(copy?.again).toBe(copy?.list);
    expect(copy?.also).toBe(kept);
    expect(copy?.kept).toBe(kept);
    expect(copy?.same).toBe(copy?.error);
    expect(copy?.error).not.toBe(error);
  });

  it("copy errors with the kinds of their properties", () => {
    const fine = Object.assign(new RangeError("fine"), { code: 1 });
    const given = Object.assign(new RangeError(`bad ${hidden}`, { cause: hidden }), {
      code: "C-1",
      [hidden]: 1,
      said: [hidden],
      fine,
      [Symbol.for("mark")]: true,
    });
    Object.defineProperty(given, "quiet", { value: 7, enumerable: false, writable: false });
    Object.defineProperty(given, "late", { get: () => hidden, enumerable: true });
    const copy = redactData({ given }, redactor, "mark")?.given;
    expect(copy).toBeInstanceOf(RangeError);
    expect([copy?.message, copy?.name, copy?.stack]).toEqual(["bad …", "RangeError", "RangeError: bad …"]);
    expect(Reflect.ownKeys(copy ?? {}).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual(
      ["code", "fine", "message", "name", "quiet", "said", "stack", Symbol.for("mark")].toSorted((a, b) =>
        String(a).localeCompare(String(b)),
      ),
    );
    expect(copy).toMatchObject({ code: "C-1", quiet: 7, said: ["…"], [Symbol.for("mark")]: true });
    expect(copy?.fine).toBe(fine);
    expect(Object.keys(copy ?? {})).toEqual(["code", "said", "fine"]);
    expect(Object.getOwnPropertyDescriptor(copy, "quiet")).toMatchObject({ enumerable: false, configurable: true });
    expect(Object.getOwnPropertyDescriptor(copy, "message")).toMatchObject({ configurable: true, writable: true });
    expect(Object.getOwnPropertyDescriptor(redactData({ a: 1, b: hidden }, redactor), "a")).toMatchObject({
      configurable: true,
      writable: true,
      enumerable: true,
    });
  });

  it.each<[string, unknown, readonly string[]]>([
    ["nothing", undefined, []],
    ["a text", "x", ["x"]],
    ["an empty text", ["", "x"], ["x"]],
    ["a text twice", ["x", "x"], ["x"]],
    ["numbers of five and six digits", [99_999, 100_000, 5n, 100_001n], ["100000", "100001"]],
    ["values, and not keys", { key: "x", n: null, b: true }, ["x"]],
    ["what can be read", { failing, a: "x" }, ["x"]],
    ["lists of any depth", nested(500, "x"), ["x"]],
  ])("are read from %s", (_title, value, expected) => {
    expect(textsIn(value)).toEqual(expected);
  });
});
