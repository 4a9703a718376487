import { describe, expect, it } from "@jest/globals";
import { array, assert, constantFrom, double, integer, property, string, tuple } from "fast-check";
import type { IntentExample } from "../../src/retrieval/matcher/examples.js";
import { createIntentMatcher } from "../../src/retrieval/matcher/intent-matcher.js";
import { createPlainBlock, createVectorBlock, LANES } from "../../src/retrieval/matcher/machine-block.js";
import type { SparseRows } from "../../src/retrieval/matcher/sparse-rows.js";
import { WordReader } from "../../src/retrieval/matcher/words.js";
import { propertyRuns } from "../support/property-runs.js";

const WIDTH = 12;

function rowsOf(rows: readonly (readonly (readonly [number, number])[])[]): SparseRows {
  const entries = rows.flat();
  const starts = Int32Array.from({ length: rows.length + 1 }, (_, at) => rows.slice(0, at).flat().length);
  return {
    starts,
    places: Int32Array.from(entries, ([place]) => place),
    values: Float32Array.from(entries, ([, value]) => value),
  };
}

describe("the machines of a block of classes", () => {
  const entry = tuple(integer({ min: 0, max: WIDTH - 1 }), double({ min: 0, max: 1, noNaN: true }));
  const visit = tuple(
    integer({ min: 0, max: 5 }),
    array(tuple(integer({ min: 0, max: LANES - 1 }), double({ min: -1, max: 1, noNaN: true })), { maxLength: 4 }),
  );

  it("are exactly the same with and without vector instructions", () => {
    assert(
      property(
        array(array(entry, { maxLength: 9 }), { minLength: 6, maxLength: 6 }),
        array(visit, { maxLength: 30 }),
        (entries, visits) => {
          const rows = rowsOf(entries);
          const blocks = [createPlainBlock(rows, WIDTH), createVectorBlock(rows, WIDTH)];
          const all = Int32Array.from({ length: LANES }, (_, lane) => lane);
          const results = blocks.map((block) => {
            if (block === undefined) throw new Error("this host has no vector instructions");
            const scores = visits.map(([row, steps]) => {
              const [start, end] = [rows.starts[row] as number, rows.starts[row + 1] as number];
              const lanes = Int32Array.from(new Set(steps.map(([lane]) => lane)));
              for (const [lane, step] of steps) block.steps[lane] = step;
              for (const lane of lanes) block.constants[lane] = block.steps[lane] as number;
              block.move(start, end, lanes, lanes.length);
              for (const lane of lanes) block.steps[lane] = 0;
              block.score(start, end, all, LANES);
              return [...block.scores].map((score) => score + 0);
            });
            return { scores, weights: [...block.weights].map((weight) => weight + 0) };
          });
          expect(results[1]).toEqual(results[0]);
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("a ranking", () => {
  const word = constantFrom("open", "close", "price", "chain", "wheel", "hello", "card", "fee", "day", "lamp");
  const text = array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
  const example = tuple(text, integer({ min: 0, max: 24 })).map(([sentence, label]): IntentExample => ({
    text: sentence,
    intent: `intent ${label}`,
  }));

  it("of the best equals the beginning of the ranking of all", () => {
    assert(
      property(array(example, { minLength: 30, maxLength: 90 }), array(text, { minLength: 5 }), (examples, queries) => {
        const matcher = createIntentMatcher({ examples });
        for (const query of queries) {
          const all = matcher.examplesFor(query, 99);
          for (const max of [1, 2, 5]) expect(matcher.examplesFor(query, max)).toEqual(all.slice(0, max));
        }
      }),
      { numRuns: propertyRuns(12) },
    );
  });
});

describe("words", () => {
  const WORD = /[\p{L}\p{N}\p{M}]+(?:'\p{L}+)*|\p{Extended_Pictographic}/gu;

  function wordsOf(text: string): readonly { readonly word: string; readonly stem: string }[] {
    const reader = new WordReader();
    const words = [];
    reader.open(text);
    while (reader.next()) {
      const word = String.fromCharCode(...reader.framed.subarray(1, reader.length + 1));
      words.push({ word, stem: String.fromCharCode(...reader.stem.subarray(0, reader.stemLength)) });
    }
    return words;
  }

  it.each(["grapheme-ascii", "grapheme"] as const)("of %s texts equal those that the pattern finds", (unit) => {
    const texts = array(constantFrom("'", "'s ", " ", "it's", "n2'2", "_", "Don’t"), { maxLength: 4 });
    assert(
      property(string({ unit, maxLength: 30 }), texts, (text, parts) => {
        const whole = text.slice(0, 9) + parts.join(text.slice(9, 12)) + text.slice(12);
        const plain = whole.normalize("NFKC").toLowerCase().replaceAll("’", "'");
        expect(wordsOf(whole).map(({ word }) => word)).toEqual(
          plain.match(WORD)?.map((word) => word.slice(0, 64)) ?? [],
        );
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it.each([
    ["cards", "card"],
    ["paying", "pay"],
    ["stopped", "stop"],
    ["boxes", "box"],
    ["cities", "city"],
    ["tried", "try"],
    ["shop's", "shop"],
    ["prices", "pric"],
    ["bus", "bus"],
    ["gas", "gas"],
    ["glass", "glass"],
    ["ied's", "y"],
    ["éclairs", "éclair"],
  ])("%s has the stem %s", (word, stem) => {
    expect(wordsOf(word)).toEqual([{ word, stem }]);
  });
});
