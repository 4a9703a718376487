import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { openDataFolder } from "../../../src/eval/dataset/data-folder.js";
import { evaluateCodeInjection } from "../../../src/eval/detectors/code-injection.js";
import { createContext } from "../../../src/eval/detectors/context.js";
import { evaluateJailbreak } from "../../../src/eval/detectors/jailbreak.js";
import { evaluatePersonalData } from "../../../src/eval/detectors/personal-data.js";
import type { DetectorSection } from "../../../src/eval/detectors/result.js";

const FOLDER = resolve(process.env["LANGCHAIN_GUARDRAILS_EVAL_DATA"] ?? "../shared/data");
const hasData = existsSync(FOLDER);
const suite = hasData ? describe : describe.skip;

if (!hasData) {
  process.stderr.write(`SKIPPED: bars of detectors, since there are no data sets in ${FOLDER}\n`);
}

suite("bars of detectors on data sets", () => {
  it.each<[string, number, (context: Awaited<ReturnType<typeof createContext>>) => Promise<DetectorSection>]>([
    ["personal data", 6, evaluatePersonalData],
    ["jailbreak phrasing", 7, evaluateJailbreak],
    ["code injection", 4, evaluateCodeInjection],
  ])(
    "minimum scores of detectors hold for %s",
    async (_name, least, evaluate) => {
      const context = await createContext(openDataFolder(FOLDER), { seed: 42, generated: 4, now: () => 0 });
      const section = await evaluate(context);
      const missed = section.rows.filter(({ bars }) => bars.some(({ holds }) => !holds));
      expect(missed.map(({ dataset, name }) => `${dataset}: ${name}`)).toEqual([]);
      if (context.skipped.size > 0) {
        process.stderr.write(`SKIPPED: data sets that are not in ${FOLDER}: ${[...context.skipped].join(", ")}\n`);
      } else {
        expect(section.rows.flatMap(({ bars }) => bars).length).toBeGreaterThanOrEqual(least);
      }
    },
    60_000,
  );
});
