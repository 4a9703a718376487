import { describe, expect, it } from "@jest/globals";
import { assert, integer, property } from "fast-check";
import { checkConversation } from "../../../scripts/fuzz/check-conversation.js";
import { generateProgram } from "../../../scripts/fuzz/colang2-programs.js";
import { CORPORA } from "../../../scripts/fuzz/corpus.js";
import { generateText } from "../../../scripts/fuzz/mutate.js";
import { Random } from "../../../scripts/fuzz/random.js";
import { FUZZ_TARGETS } from "../../../scripts/fuzz/targets.js";
import { propertyRuns } from "../../support/property-runs.js";

// Played twice and stored at every step: the same is said, within the budgets, and only errors of our own are thrown.
describe("any program", () => {
  it("made at random says the same again, also when it is stored and read", () => {
    assert(
      property(integer({ min: 0, max: 2 ** 31 }), (seed) => checkConversation(generateProgram(new Random(seed)))),
      { numRuns: propertyRuns(5), seed: 11 },
    );
  });

  it("made by changing sound sources does the same", () => {
    const random = new Random(20261122);
    const check = (): void =>
      checkConversation(
        `flow main\n  match Never()\n${generateText(random, CORPORA.colang2, FUZZ_TARGETS.colang2.tokens)}`,
      );
    for (let run = 0; run < propertyRuns(25); run += 1) expect(check).not.toThrow();
  });
});
