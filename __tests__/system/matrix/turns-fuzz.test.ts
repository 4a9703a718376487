// A small copy of `npm run fuzz -- --target turns`.
import { describe, expect, it } from "@jest/globals";
import { Random } from "../../../scripts/fuzz/random.js";
import { checkTurn, generateTurn } from "../../../scripts/fuzz/turns.js";

describe("a whole turn over a random configuration", () => {
  it("emits nothing that a rail refuses, ends, and decides alike with and without a stream", async () => {
    const random = new Random(20261122);
    for (let run = 0; run < 40; run += 1) {
      const spec = generateTurn(random);
      await expect(checkTurn(spec).catch((error: Error) => `${error.message}\n${spec}`)).resolves.toBeUndefined();
    }
  });
});
