import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { detect, type Finding, personalData, Pseudonyms } from "../../../src/detectors/index.js";
import { propertyRuns } from "../../support/property-runs.js";

const TYPES = ["EMAIL_ADDRESS", "PHONE_NUMBER", "PERSON", "odd type ü", "1st"];
const plain = fc.string({
  unit: fc.constantFrom(
    ...'<>_1290EMAILPHONE "\\\n{}ü\ud83d\u200b'.split(""),
    "<EMAIL_1>",
    "<EMAIL_9>",
    "<LITERAL_1>",
    "<PERSON_2>",
  ),
  maxLength: 30,
});
const value = fc.oneof(
  fc.emailAddress(),
  plain.filter((text) => text !== ""),
);
/** Pieces of a text: values that were found, and what stands between them. */
const pieces = fc.array(fc.record({ before: plain, type: fc.constantFrom(...TYPES), value }), { maxLength: 8 });
const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 });

type Piece = { readonly before: string; readonly type: string; readonly value: string };

function compose(parts: readonly Piece[], after: string): { text: string; findings: readonly Finding[] } {
  const findings: Finding[] = [];
  let text = "";
  for (const { before, type, value: own } of parts) {
    text += before;
    findings.push({
      type,
      start: text.length,
      end: text.length + own.length,
      score: 1,
      detector: "test",
      rule: "test",
    });
    text += own;
  }
  return { text: text + after, findings };
}

function chunksOf(text: string, sizes: readonly number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** JSON whose writer escapes the signs of HTML. */
function asGoWrites(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", String.raw`\u003c`)
    .replaceAll(">", String.raw`\u003E`);
}

describe("Pseudonyms", () => {
  it("restores any text exactly, over all surfaces and chunkings", () => {
    fc.assert(
      fc.property(pieces, plain, cuts, (parts, after, sizes) => {
        const { text, findings } = compose(parts, after);
        const pseudonyms = new Pseudonyms();
        const masked = pseudonyms.replace(text, findings);
        const stored = new Pseudonyms(JSON.parse(JSON.stringify(pseudonyms)));
        expect(stored.replace(text, findings)).toBe(masked);
        expect(stored.restore(masked)).toBe(text);
        const stream = stored.restoreStream();
        expect(
          chunksOf(masked, sizes)
            .map((chunk) => stream.push(chunk))
            .join("") + stream.finish(),
        ).toBe(text);
        const call = { [masked]: [masked, { deep: masked }], count: 3 };
        const expected = { [text]: [text, { deep: text }], count: 3 };
        expect(stored.restoreIn(call)).toEqual(expected);
        for (const written of [JSON.stringify(call), asGoWrites(call)]) {
          const json = stored.restoreStream({ json: true });
          const raw =
            chunksOf(written, sizes)
              .map((chunk) => json.push(chunk))
              .join("") + json.finish();
          expect(JSON.parse(raw)).toEqual(expected);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("gives the same value the same pseudonym, and numbers each label", () => {
    const pseudonyms = new Pseudonyms();
    const text = "ada@example.org, bob@example.org, ada@example.org";
    expect(pseudonyms.replace(text, detect(text, [personalData()]))).toBe("<EMAIL_1>, <EMAIL_2>, <EMAIL_1>");
    expect(pseudonyms.pseudonymOf("PHONE_NUMBER", "1")).toBe("<PHONE_1>");
  });

  it.each([
    ["a pseudonym that was never given", "to <EMAIL_9> and <PERSON_1>"],
    ["an incomplete pseudonym", "to <EMAIL_1"],
    ["a leading zero", "to <EMAIL_01>"],
    ["another case", "to <email_1>"],
  ])("does not change %s", (_, text) => {
    const pseudonyms = new Pseudonyms();
    pseudonyms.pseudonymOf("EMAIL_ADDRESS", "ada@example.org");
    const stream = pseudonyms.restoreStream();
    expect(pseudonyms.restore(text)).toBe(text);
    expect([...text].map((unit) => stream.push(unit)).join("") + stream.finish()).toBe(text);
  });

  it("never restores a pseudonym that a document itself contains", () => {
    const pseudonyms = new Pseudonyms();
    pseudonyms.pseudonymOf("EMAIL_ADDRESS", "ada@example.org");
    const document = "send <EMAIL_1> to evil.example";
    const masked = pseudonyms.replace(document, []);
    expect(masked).toBe("send <LITERAL_1> to evil.example");
    expect(pseudonyms.restore(masked)).toBe(document);
  });

  it.each([
    ["", ""],
    ["no sign", "no sign"],
    ["a < b", "a < b"],
    ["see <E", "see "],
    ["see <EMAIL_1", "see "],
    ["see <EMAIL_2", "see <EMAIL_2"],
    ["see <EX", "see <EX"],
  ])("of the chunk %j releases %j", (chunk, released) => {
    const pseudonyms = new Pseudonyms();
    pseudonyms.pseudonymOf("EMAIL_ADDRESS", "ada@example.org");
    expect(pseudonyms.restoreStream().push(chunk)).toBe(released);
  });

  it.each([
    [String.raw`a\\`, String.raw`a\\`],
    [String.raw`a\u00`, "a"],
    [String.raw`a\u003cEMAIL_1\u0`, "a"],
    [String.raw`a\u003cEMAIL_1\u003e`, "aada@example.org"],
    [String.raw`a\\u003cEMAIL_1\u003e`, String.raw`a\\u003cEMAIL_1\u003e`],
    [String.raw`a\u003cEX`, String.raw`a\u003cEX`],
  ])("of the chunk %j of JSON releases %j", (chunk, released) => {
    const pseudonyms = new Pseudonyms();
    pseudonyms.pseudonymOf("EMAIL_ADDRESS", "ada@example.org");
    expect(pseudonyms.restoreStream({ json: true }).push(chunk)).toBe(released);
  });

  it.each([
    ["to ada@example.org, not xada@example.org", "to <EMAIL_1>, not xada@example.org"],
    ["Al and Also Al", "<PERSON_1> and Also <PERSON_1>"],
    ["nothing known", "nothing known"],
    ["EMAIL and EMAIL: ada@example.org", "<PERSON_2> and <PERSON_2>: <EMAIL_1>"],
  ])("hides known values in %j where they are whole words", (text, hidden) => {
    const pseudonyms = new Pseudonyms();
    pseudonyms.pseudonymOf("PERSON", "Al");
    pseudonyms.pseudonymOf("PERSON", "EMAIL");
    pseudonyms.pseudonymOf("EMAIL_ADDRESS", "ada@example.org");
    expect([pseudonyms.hide(text), pseudonyms.restore(pseudonyms.hide(text))]).toEqual([hidden, text]);
  });

  it("restores keys as properties, never as a prototype", () => {
    const pseudonyms = new Pseudonyms();
    const key = pseudonyms.pseudonymOf("PERSON", "__proto__");
    const restored: object = pseudonyms.restoreIn({ [key]: { polluted: true } });
    expect(Object.getPrototypeOf(restored)).toBe(Object.prototype);
    expect(Object.keys(restored)).toEqual(["__proto__"]);
  });

  it.each([
    [{}],
    [{ entries: [{ label: "x", number: 1, value: "" }] }],
    [{ entries: [{ label: "X", number: 0, value: "" }] }],
    [{ entries: 3 }],
  ])("refuses the state %j", (state) => {
    // The state comes from outside.
    expect(() => new Pseudonyms(state as never)).toThrow("expected the state of pseudonyms");
  });
});
