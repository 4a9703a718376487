import { expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { Guardrails } from "../../../src/index.js";
import { ReplyingModel } from "../../support/langchain/replying-model.js";
import { propertyRuns } from "../../support/property-runs.js";

const part = fc.oneof(
  fc.constantFrom("ada@example.org", "bob@example.net", "<EMAIL_1>", "<EMAIL_9>", "<EMA", "<", "IL_1>"),
  fc.string({ unit: fc.constantFrom(..."ab 1_<>\u00fc"), maxLength: 6 }),
);
const text = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => `x ${parts.join(" ")} y`);
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

it("restores what the model repeats in every cut of a stream", async () => {
  const config = {
    rails: {
      input: { flows: ["pseudonymise sensitive data on input"] },
      config: { sensitive_data_detection: { input: { entities: ["EMAIL_ADDRESS"] } } },
    },
  };
  const guardrails = await Guardrails.fromConfig({ config }, { logger: false });
  await fc.assert(
    fc.asyncProperty(text, sizes, async (given, cuts) => {
      const model = new ReplyingModel(([seen = ""]) => {
        const chunks: string[] = [];
        for (let at = 0; at < seen.length;) {
          const size = cuts[chunks.length % cuts.length] ?? 1;
          chunks.push(seen.slice(at, at + size));
          at += size;
        }
        return chunks;
      });
      let answer = "";
      for await (const chunk of await guardrails.wrap(model).stream(given)) answer += chunk.text;
      expect(answer).toBe(given);
      expect(model.seen.join()).not.toContain("@example");
    }),
    { numRuns: propertyRuns(50) },
  );
});
