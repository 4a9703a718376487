import { describe, expect, it } from "@jest/globals";
import { entityVerdict, readEntity } from "../../../src/library/http/entities.js";
import { Reply, ReplyError } from "../../../src/library/http/reply.js";
import type { Question } from "../../../src/library/http/service-code.js";

const SETTINGS = { input: { entities: [] }, output: { entities: [] }, retrieval: { entities: [] } };
const NAMES = { type: "type", start: "start", end: "end", value: "value" };

function mask(text: string, ...entities: readonly object[]) {
  const question = { text, source: "input", settings: SETTINGS } as unknown as Question<typeof SETTINGS>;
  return entityVerdict(question, (points) => entities.map((each) => readEntity(new Reply(each), points, NAMES)));
}

describe("entities of a service", () => {
  it.each<[string, string, readonly object[], string]>([
    ["none", "Ada and Bob", [], "Ada and Bob"],
    [
      "several, in any order",
      "Ada and Bob",
      [
        { type: "B", start: 8, end: 11 },
        { type: "A", start: 0, end: 3 },
      ],
      "<A> and <B>",
    ],
    [
      "one inside of another",
      "Ada Lovelace!",
      [
        { type: "IN", start: 4, end: 8 },
        { type: "OUT", start: 0, end: 12 },
      ],
      "<OUT>!",
    ],
    [
      "some that overlap",
      "Ada Lovelace!",
      [
        { type: "A", start: 0, end: 8 },
        { type: "B", start: 4, end: 12 },
      ],
      "<A>!",
    ],
    [
      "two adjacent ones",
      "AdaBob",
      [
        { type: "A", start: 0, end: 3 },
        { type: "B", start: 3, end: 6 },
      ],
      "<A><B>",
    ],
    ["one after a character of two units", "😀😀 Ada", [{ type: "A", start: 3, end: 6, value: "Ada" }], "😀😀 <A>"],
    ["a type with its own text", "Ada", [{ type: "A> see http://x", start: 0, end: 3 }], "<A__see_http___x>"],
    ["a long type", "Ada", [{ type: "A".repeat(99), start: 0, end: 3 }], `<${"A".repeat(50)}>`],
  ])("are replaced: %s", (_, text, entities, expected) => {
    expect(mask(text, ...entities)).toMatchObject({ text: expected, blocked: entities.length > 0 });
  });

  it.each<[string, object]>([
    ["after the text", { type: "A", start: 0, end: 4 }],
    ["of no length", { type: "A", start: 1, end: 1 }],
    ["before the text", { type: "A", start: -1, end: 1 }],
    ["between two characters", { type: "A", start: 0.5, end: 1 }],
    ["with another value", { type: "A", start: 0, end: 3, value: "Bob" }],
    ["without a type", { start: 0, end: 3 }],
    ["as a text", { type: "A", start: "0", end: "3" }],
  ])("are refused: %s", (_, entity) => {
    expect(() => mask("Ada", entity)).toThrow(ReplyError);
  });
});
