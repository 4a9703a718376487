import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import {
  ActionError,
  ConfigError,
  GuardrailsError,
  InputShapeError,
  LimitError,
  ModelError,
  OutputParseError,
} from "../../src/diagnostics/errors.js";
import { createDiagnostic } from "../../src/diagnostics/diagnostic.js";
import { GuardrailViolationError } from "../../src/langchain/blocked.js";
import { foldText, foldWhole, createRedactor, QUOTE_LENGTH, type Redactor } from "../../src/turn/redactor.js";
import { quotesIn, redactData, textsIn } from "../../src/turn/redact-data.js";
import { propertyRuns } from "../support/property-runs.js";
import { removedParts } from "../../src/turn/removed-parts.js";

const SECRET = 'The "vault" code is 7319-ALPHA';
const json = (text: string, levels: number): string =>
  levels === 0 ? text : json(JSON.stringify({ inner: text }), levels - 1);
const escaped = (text: string): string =>
  [...text].map((unit) => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`).join("");

function redactorOf(...hidden: Parameters<typeof createRedactor>[0]): Redactor {
  const made = createRedactor(hidden);
  if (made === undefined) throw new Error("there is nothing to hide");
  return made;
}

describe("a rewrite that removes only characters that fold to nothing", () => {
  it.each<[string, string, string]>([
    ["an escaped line break", "one\\ntwo", "onetwo"],
    ["an escaped line break among words", "Ada\\nLovelace met Bob", "NAME met Bob\\n"],
    ["a combining mark in escapes", "e\\u0301t\\u00e9", "ete"],
    ["an escaped invisible character", "one\\u200btwo", "one two"],
    ["an encoded blank", "one%20%20two", "one two"],
  ])("ends for %s", (_, text, replacement) => {
    const redactor = createRedactor([{ text, replacement }, { text: "hidden" }]);
    expect(redactor?.redact("this is hidden, and this\\n is not")).toBe("this is …, and this\\n is not");
  });

  it("ends for random texts of escapes", () => {
    const piece = fc.constantFrom("\\n", "\\u200b", "\\u0301", "%20", "%E2%80%8B", "\u200B", "word", " ", "\\", "İ");
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, text, (before, after, said) => {
        expect(typeof (createRedactor([{ text: before, replacement: after }])?.redact(said) ?? "")).toBe("string");
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe("a quote of a hidden text", () => {
  it.each<[string, string]>([
    ["as it is", SECRET],
    ["inside a sentence", `the model wrote: ${SECRET}!`],
    ["in other letters", SECRET.toUpperCase()],
    ["with other blanks", SECRET.replaceAll(" ", "\n\t ")],
    ["with invisible characters", SECRET.replaceAll("a", "a\u200B")],
    ["in JSON", json(SECRET, 1)],
    ["in JSON in JSON", json(SECRET, 2)],
    ["in JSON four levels deep", json(SECRET, 4)],
    ["in unicode escapes", escaped(SECRET)],
    ["in unicode escapes of upper case", escaped(SECRET).replaceAll("\\u00", "\\U00")],
    ["in escapes with braces", SECRET.replaceAll("c", "\\u{63}")],
    ["in byte escapes", SECRET.replaceAll("c", "\\x63")],
    ["in unicode escapes inside JSON", JSON.stringify(escaped(SECRET))],
    ["in full-width letters", SECRET.replaceAll("code", "\uFF43\uFF4F\uFF44\uFF45")],
    ["as a part of it", SECRET.slice(4, 4 + QUOTE_LENGTH)],
    ["before a backslash", `${SECRET}\\\\n`],
    ["with its own end truncated", SECRET.slice(0, -4)],
  ])("is found %s", (_, text) => {
    const redactor = redactorOf(SECRET);
    expect(redactor.quotes(text)).toBe(true);
    expect(redactor.redact(text)).not.toMatch(/vault|7319/iu);
  });

  it.each<[string, string]>([
    ["a shorter part", SECRET.slice(4, 4 + QUOTE_LENGTH - 1)],
    ["another text", "the vault is closed"],
    ["nothing", ""],
  ])("is not %s", (_, text) => {
    expect(redactorOf(SECRET).quotes(text)).toBe(false);
    expect(redactorOf(SECRET).redact(text)).toBe(text);
  });

  it.each<[string, string, boolean]>([
    ["bad", "the word `bad` is forbidden", true],
    ["bad", '{"said":"bad"}', true],
    ["bad", "BAD\n", true],
    ["bad", "a badge", false],
    ["bad", "not_bad", false],
    ["42", "the pin 42.", true],
    ["42", "the number 1423", false],
    ["毒品", "これは毒品です", true],
    ["né", "je suis NE\u0301 ici", true],
  ])("of the short text %j in %j: %j", (hidden, text, expected) => {
    expect(redactorOf(hidden).quotes(text)).toBe(expected);
  });
});

describe("a rewritten text", () => {
  const before = "my name is Bob Stone and my card is 4111 1111 1111 1111";
  const after = "my name is [NAME] and my card is [CARD]";
  const redactor = redactorOf({ text: before, replacement: after });

  it.each<[string, string]>([
    [before, after],
    [`he said: ${before}.`, `he said: ${after}.`],
    ["Bob Stone paid", "… paid"],
    ["card 4111 1111 1111 1111", "card …"],
    ["my name is not known", "my name is not known"],
    ["and my card is [CARD]", "and my card is [CARD]"],
    ["", ""],
  ])("%j is emitted as %j", (text, expected) => {
    expect(redactor.redact(text)).toBe(expected);
  });

  it("hides nothing when a rail only adds to it", () => {
    expect(createRedactor([{ text: "hello", replacement: "hello, and a note" }])).toBeUndefined();
  });

  it("hides complete copies only where parts may stay", () => {
    const whole = createRedactor([{ text: before, replacement: after }], { parts: false });
    expect(whole?.redact(`${before}; Bob Stone`)).toBe(`${after}; Bob Stone`);
  });
});

describe("parts that are emitted anyway", () => {
  it("are not hidden", () => {
    const redactor = createRedactor(["I will not give you the code 7319 today"], {
      shown: ["I will not give you that"],
    });
    expect(redactor?.redact("I will not give you that")).toBe("I will not give you that");
    expect(redactor?.quotes("give you the code 7319")).toBe(true);
  });
});

describe("data without quotes", () => {
  const redactor = redactorOf(SECRET, "123456789");
  class Holder {
    readonly #inner = SECRET;
    get inner(): string {
      return this.#inner;
    }
  }
  const cyclic: Record<string, unknown> = { text: SECRET, kept: 1 };
  cyclic["self"] = cyclic;

  it.each<[string, unknown, unknown]>([
    ["a property", { a: SECRET, b: 1 }, { b: 1 }],
    ["a list item", ["x", SECRET], ["x"]],
    ["a key", { [SECRET]: 1, b: 2 }, { b: 2 }],
    ["nested JSON", { raw: json(SECRET, 2), b: 2 }, { b: 2 }],
    ["a long number", { n: 123_456_789, count: 12 }, { count: 12 }],
    ["a long bigint", { n: 123_456_789n }, {}],
    ["a map", { map: new Map([[SECRET, 1]]) }, {}],
    ["bytes", { bytes: new TextEncoder().encode(SECRET) }, {}],
    ["an error", { error: new Error(SECRET) }, {}],
    ["an error in a cause", { error: new Error("x", { cause: new Error(SECRET) }) }, {}],
    ["a getter of a class", { holder: new Holder() }, {}],
    [
      "a getter that fails",
      {
        get inner(): string {
          throw new Error("closed");
        },
        b: 2,
      },
      { b: 2 },
    ],
  ])("%s", (_, value, expected) => {
    expect(redactData(value, redactor)).toEqual(expected);
  });

  it("keeps cycles", () => {
    const copy = redactData(cyclic, redactor) as Record<string, unknown>;
    expect(Object.keys(copy)).toEqual(["kept", "self"]);
    expect(copy["self"]).toBe(copy);
  });

  it("keeps a value without a quote as it is", () => {
    const value = { a: ["x", { b: "y" }] };
    expect(redactData(value, redactor)).toBe(value);
  });

  it("marks strings and errors that are to be kept", () => {
    const error = Object.assign(new TypeError(`bad value: ${SECRET}`, { cause: SECRET }), {
      code: "X-1",
      input: SECRET,
    });
    const { error: kept, text } = redactData({ error, text: `a ${SECRET} b` }, redactor, "mark") as {
      error: TypeError & { code: string };
      text: string;
    };
    expect(text).toBe("a … b");
    expect(kept).toBeInstanceOf(TypeError);
    expect([kept.message, kept.code, kept.cause]).toEqual(["bad value: …", "X-1", undefined]);
    expect(kept.stack).not.toContain("vault");
    expect(quotesIn(kept, redactor)).toBe(false);
  });

  it.each<[string, Error, (error: unknown) => boolean, object]>([
    [
      "ActionError",
      new ActionError(SECRET, { action: "look_up", timeoutMs: 50, cause: new Error(SECRET) }),
      (error) => ActionError.isInstance(error),
      { code: "RL-201", action: "look_up", timeoutMs: 50 },
    ],
    [
      "ModelError",
      new ModelError(SECRET, { task: "general", model: "fake/one" }),
      (error) => ModelError.isInstance(error),
      { task: "general", model: "fake/one" },
    ],
    [
      "OutputParseError",
      new OutputParseError(SECRET, { task: SECRET }),
      (error) => OutputParseError.isInstance(error) && ModelError.isInstance(error),
      { task: "…", code: "RL-302" },
    ],
    [
      "LimitError",
      new LimitError(SECRET, { limit: "steps", maximum: 9 }),
      (error) => LimitError.isInstance(error),
      { limit: "steps", maximum: 9 },
    ],
    ["InputShapeError", new InputShapeError(SECRET), (error) => InputShapeError.isInstance(error), { code: "RL-101" }],
    [
      "ConfigError",
      new ConfigError([createDiagnostic("CF-104", SECRET)]),
      (error) => ConfigError.isInstance(error) && GuardrailsError.isInstance(error),
      { code: "CF-104", diagnostics: [{ code: "CF-104", message: "…" }] },
    ],
    [
      "GuardrailViolationError",
      new GuardrailViolationError({ decision: { rail: "r", stage: "input" } as never, refusal: SECRET }),
      (error) => GuardrailViolationError.isInstance(error) && GuardrailsError.isInstance(error),
      { code: "RL-105" },
    ],
  ])("keeps class, marker and details of an error that quotes one: %s", (_, error, isInstance, details) => {
    const kept = redactData(error, redactor, "mark");
    expect(kept).not.toBe(error);
    expect(kept).toBeInstanceOf(error.constructor);
    expect(isInstance(kept)).toBe(true);
    expect(kept).toMatchObject(details);
    expect(quotesIn(kept, redactor)).toBe(false);
  });

  it("redacts errors and details inside of an error", () => {
    const error = Object.assign(new AggregateError([new Error(SECRET)], "two failed"), { response: { body: SECRET } });
    const kept = redactData<Error>(error, redactor, "mark");
    expect(kept).toMatchObject({ message: "two failed", name: "AggregateError" });
    expect(quotesIn(kept, redactor)).toBe(false);
  });
});

it("finds the strings and long numbers in data of any form", () => {
  const value: Record<string, unknown> = { a: ["x"], n: 123_456_789, m: 5, b: { c: "y" } };
  value["self"] = value;
  expect(textsIn(value)).toEqual(["x", "123456789", "y"]);
});

describe("properties", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });

  it("a hidden text is never found after redaction", () => {
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 0, max: 3 }), (hidden, before, behind, levels) => {
        const redactor = createRedactor([hidden]);
        if (redactor === undefined) return;
        const left = redactor.redact(json(`${before} ${hidden} ${behind}`, levels));
        const folded = foldText(hidden).text.trim();
        if (folded.length >= QUOTE_LENGTH) expect(foldText(left).text).not.toContain(folded);
        expect(redactor.quotes(left) && folded.length >= QUOTE_LENGTH && !folded.includes("…")).toBe(false);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("a copy in nested JSON is a quote", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 3 }), (hidden, levels) => {
        const redactor = createRedactor([hidden]);
        if (redactor !== undefined) expect(redactor.quotes(json(hidden, levels))).toBe(true);
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

it("searches long texts in proportion to their length", () => {
  const text = "secret word ".repeat(20_000);
  const replacement = text.replaceAll("secret", "[m]");
  const redactor = createRedactor([{ text, replacement }]);
  expect(redactor?.redact(replacement)).toBe(replacement);
  expect(redactor?.quotes(replacement)).toBe(false);
  expect(redactor?.redact(text)).not.toContain("secret");
});

describe("parts that a rail removed from a text", () => {
  it.each<[string, string, string, readonly string[]]>([
    ["nothing", "one two", "one two", []],
    ["nothing of an empty text", "", "one", []],
    ["everything", "one two", "", ["one two"]],
    ["the whole text for another", "one two", "three", ["one two"]],
    ["the first word", "one two three", "two three", ["one"]],
    ["the last word", "one two three", "one two", ["three"]],
    ["a word in the middle", "one two three", "one three", ["two"]],
    ["one of two equal words", "one one", "one", ["one"]],
    ["one of three equal words", "a b a b a", "a b a", ["b a"]],
    ["neighbours as one part", "one two three four", "one four", ["two three"]],
    ["two parts around a kept word", "is Bob or Eve here", "is X or Y here", ["Bob", "Eve"]],
    ["three parts", "a x b y c z d", "a b c d", ["x", "y", "z"]],
    ["parts at both ends", "x one y", "one", ["x", "y"]],
    ["a kept word between removed ones", "x one y two z", "p one q two r", ["x", "y", "z"]],
    ["a part with its marks", "pay 41-11 now", "pay [CARD] now", ["41-11"]],
    ["no mark alone", "one, two!", "one two", []],
    ["no mark between kept words", "one - two", "one two", []],
    ["a part that begins with a mark", "a (b) c", "a c", ["(b)"]],
    ["moved words", "one two three", "three one two", ["three"]],
    ["swapped words", "one two", "two one", ["one"]],
    ["letters of any script", "Я Боб тут", "Я X тут", ["Боб"]],
    ["a letter case", "Bob is here", "bob is here", ["Bob"]],
    ["blanks only", "one  two", "one two", []],
    ["added words", "one two", "one and two more", []],
    ["a longest order, and not the first one", "a b c d", "c a b d", ["c"]],
    ["the same from the end", "c a b d", "a b c d", ["c"]],
    ["words between repeated ones", "x a x b x", "a b", ["x", "x", "x"]],
  ])("%s: %j to %j", (_title, before, after, expected) => {
    expect(removedParts(before, after)).toEqual(expected);
  });

  it.each<[number, number, readonly string[]]>([
    [500, 500, ["no", "a498"]],
    [13, 19_230, ["no", "a11"]],
    // One pair more than the limit: everything between the common ends counts as removed.
    [13, 19_231, ["all"]],
    [501, 501, ["all"]],
  ])("of %d and %d words are found word by word up to a limit", (left, right, expected) => {
    const before = ["no", ...numbered("a", left - 1)].join(" ");
    const kept = numbered("a", left - 2);
    const after = [...kept, ...numbered("z", right - kept.length)].join(" ");
    expect(removedParts(before, after)).toEqual(expected[0] === "all" ? [before] : expected);
  });

  it("are in the first text, and the rest of it is in the other", () => {
    const word = fc.constantFrom("a", "b", "c", "d", "e");
    const words = fc.array(word, { maxLength: 8 });
    fc.assert(
      fc.property(words, words, (left, right) => {
        const [before, after] = [left.join(" "), right.join(" ")];
        const parts = removedParts(before, after);
        let at = 0;
        for (const part of parts) {
          const found = before.indexOf(part, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + part.length;
        }
        expect(left.length - parts.join(" ").split(" ").filter(Boolean).length).toBe(commonLength(left, right));
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at}`);

/** The length of the longest common subsequence, computed naively. */
function commonLength(left: readonly string[], right: readonly string[]): number {
  const [first, ...others] = left;
  if (first === undefined || right.length === 0) return 0;
  const without = commonLength(others, right);
  const at = right.indexOf(first);
  return at === -1 ? without : Math.max(without, 1 + commonLength(others, right.slice(at + 1)));
}

describe("a folded text", () => {
  it.each<[string, string]>([
    ["", ""],
    ["Plain Text!", "plain text!"],
    ["two  blanks", "two blanks"],
    ["  at  the ends  ", " at the ends "],
    ["tab\tnewline\n\r\nend", "tab newline end"],
    ["a\u0000\u0001b", "a b"],
    ["é", "e"],
    ["e\u0301", "e"],
    ["\u0301", ""],
    ["a\u200Bb\u00ADc", "abc"],
    ["ﬁne", "fine"],
    ["Ａ１", "a1"],
    ["½", "1⁄2"],
    ["İ", "i"],
    ["ß", "ß"],
    ["𝐁ob", "bob"],
    ["😀 x", "😀 x"],
    ["\\n", " "],
    ["a\\nb", "a b"],
    ["a\\\\\\\\nb", "a b"],
    ["a\\n\\tb", "a b"],
    ["a \\n b", "a b"],
    ["\\a\\b\\f\\n\\r\\t\\v\\0", " "],
    ["\\u0041", "a"],
    ["\\U0041", "a"],
    ["\\\\u0041", "a"],
    ["\\u{41}", "a"],
    ["\\u{1F600}", "😀"],
    ["\\u{10ffff}", "\u{10ffff}"],
    ["\\u{110000}", "\uFFFD"],
    ["\\x41", "a"],
    ['\\"', '"'],
    ["\\'", "'"],
    ["\\`", "`"],
    ["\\/", "/"],
    ["\\", ""],
    ["a\\", "a"],
    ["a\\qb", "aqb"],
    ["a\\\\\\qb", "aqb"],
    ["\\u00e9", "e"],
    ["e\\u0301x", "ex"],
    ["\\u12", "u12"],
    ["\\u{}", "u{}"],
    ["a%20b", "a b"],
    ["a%2Cb%2cc", "a,b,c"],
    ["caf%C3%A9 %F0%9F%98%80", "cafe 😀"],
    ["100%", "100%"],
    ["5%zz", "5%zz"],
    ["%C3", "%c3"],
    ["%5Cn", "\\n"],
  ])("of %j is %j", (text, expected) => {
    expect(foldText(text).text).toBe(expected);
  });

  it.each([
    ["  a  b ", "a b"],
    ["\\n a \\n", "a"],
    ["  ", ""],
  ])("of %j without blanks at its ends is %j", (text, expected) => {
    expect(foldWhole(text)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ["Plain Text", "text", "Text"],
    ["two  blanks", "blanks", "blanks"],
    ["two  blanks", " ", "  "],
    ["a \t\n b", " ", " \t\n "],
    ["a \\n\\t b", " ", " \\n\\t "],
    ["x é y", "e", "é"],
    ["x e\u0301 y", "e", "e"],
    ["x ﬁne y", "f", "ﬁ"],
    ["x ﬁne y", "i", "ﬁ"],
    ["x ﬁne y", "fi", "ﬁ"],
    ["x ﬁne y", "ine", "ﬁne"],
    ["x 𝐁ob y", "b", "𝐁"],
    ["x 𝐁ob y", "bob", "𝐁ob"],
    ["é 😀 z", "😀", "😀"],
    ["é 😀 z", "z", "z"],
    ["x \\u0041bc y", "a", "\\u0041"],
    ["x \\u0041bc y", "abc", "\\u0041bc"],
    ["x \\\\\\u0041bc y", "abc y", "\\\\\\u0041bc y"],
    ["x \\u{1F600}z", "😀", "\\u{1F600}"],
    ["x \\u{1F600}z", "z", "z"],
    ["say \\\\qb", "qb", "qb"],
    ['say \\"hi\\"', '"hi"', '\\"hi\\"'],
    ["a\u200Bb c", "ab", "a\u200Bb"],
    ["a\u200Bb c", "c", "c"],
    ["İx", "x", "x"],
  ])("of %j has %j at the place of %j", (text, part, expected) => {
    const folded = foldText(text);
    const start = folded.text.indexOf(part);
    const [from, to] = folded.range(start, start + part.length);
    expect(text.slice(from, to)).toBe(expected);
  });
});
