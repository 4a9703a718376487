import { describe, it } from "@jest/globals";
import { compileText, Driver } from "./engine-driver.js";
import { readScenarios } from "./scenario.js";
import { playScenario } from "./scenario-player.js";

const scenarios = readScenarios().filter(({ source }) => !source.includes("import "));

const OPTIONS: Readonly<Record<string, { readonly conflictPolicy: "modality" }>> = {
  N36: { conflictPolicy: "modality" },
};

/** Each scenario is compiled once for all of its runs. */
const programs = new Map(scenarios.map(({ source }) => [source, compileText(source)]));

describe.each([
  ["in one go", false, [1, 2, 3, 4, 5, 6]],
  ["stored and read again at every step", true, [1, 2]],
])("conformance of the engine, %s", (_, roundTrips, seeds) => {
  it.each(scenarios.map((scenario) => [scenario.id, scenario.title, scenario] as const))(
    "%s %s",
    async (id, _title, scenario) => {
      const program = programs.get(scenario.source) ?? compileText(scenario.source);
      for (const seed of seeds) {
        const driver = new Driver(program, { ...OPTIONS[id], seed, roundTrips });
        await playScenario(scenario, (...events) => driver.batch(...events));
      }
    },
  );
});
