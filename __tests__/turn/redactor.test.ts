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
import { foldText } from "../../src/turn/fold-text.js";
import { quotesIn, redactData, textsIn } from "../../src/turn/redact-data.js";
import { createRedactor, QUOTE_LENGTH, type Redactor } from "../../src/turn/redactor.js";
import { propertyRuns } from "../support/property-runs.js";

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
    ["with its own end cut off", SECRET.slice(0, -4)],
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
  ])("%j leaves as %j", (text, expected) => {
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

describe("parts that leave anyway", () => {
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

  it("marks strings and errors where they are to be kept", () => {
    const error = Object.assign(new TypeError(`bad value: ${SECRET}`, { cause: SECRET }), {
      code: "X-1",
      input: SECRET,
    });
    const { error: kept, text } = redactData({ error, text: `a ${SECRET} b` }, redactor, {
      strings: "mark",
    }) as { error: TypeError & { code: string }; text: string };
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
    const kept = redactData(error, redactor, { strings: "mark" });
    expect(kept).not.toBe(error);
    expect(kept).toBeInstanceOf(error.constructor);
    expect(isInstance(kept)).toBe(true);
    expect(kept).toMatchObject(details);
    expect(quotesIn(kept, redactor)).toBe(false);
  });

  it("redacts errors and details inside of an error", () => {
    const error = Object.assign(new AggregateError([new Error(SECRET)], "two failed"), { response: { body: SECRET } });
    const kept = redactData<Error>(error, redactor, { strings: "mark" });
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

  it("a hidden text is never found in what redaction leaves", () => {
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 0, max: 3 }), (hidden, before, behind, levels) => {
        const redactor = createRedactor([hidden]);
        if (redactor === undefined) return;
        const left = redactor.redact(json(`${before} ${hidden} ${behind}`, levels));
        const folded = foldText(hidden).text.trim();
        if (folded.length >= QUOTE_LENGTH) expect(foldText(left).text).not.toContain(folded);
        expect(redactor.quotes(left) && folded.length >= QUOTE_LENGTH && !folded.includes("…")).toBe(false);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("a copy in nested JSON is a quote", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 3 }), (hidden, levels) => {
        const redactor = createRedactor([hidden]);
        if (redactor !== undefined) expect(redactor.quotes(json(hidden, levels))).toBe(true);
      }),
      { numRuns: propertyRuns(80) },
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
