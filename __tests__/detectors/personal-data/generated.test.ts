import { expect, it } from "@jest/globals";
import { personalData } from "../../../src/detectors/personal-data/personal-data.js";
import { Scanner } from "../../../src/detectors/scan/scanner.js";
import { fillPattern } from "../../../src/eval/samples/identity-numbers.js";
import { PERSONAL_VALUES } from "../../../src/eval/samples/personal-numbers.js";
import { createRandom } from "../../../src/retrieval/matcher/random.js";
import { propertyRuns } from "../../support/property-runs.js";

const COUNT = propertyRuns(30);
const scanner = new Scanner([personalData()]);
const types = (text: string): string[] => scanner.scan(text).map(({ type }) => type);

it.each(PERSONAL_VALUES.map((values) => [values.name, values] as const))(
  "finds valid %s and no near ones",
  (_name, { type, valid, near, write }) => {
    const random = createRandom(7);
    const isOf = (value: string): boolean => types(write(value)).includes(type);
    const draw = (value: typeof valid): string[] => Array.from({ length: COUNT }, () => value(random));
    const missed = draw(valid).filter((value) => !isOf(value));
    const wrong = draw(near).filter(isOf);
    expect({
      missed: missed.length <= COUNT * 0.01 ? [] : missed,
      wrong: wrong.length <= COUNT * 0.01 ? [] : wrong,
    }).toEqual({ missed: [], wrong: [] });
  },
);

it("finds little in random numbers", () => {
  const random = createRandom(11);
  const found = new Map<string, number>();
  for (let count = 0; count < 20 * COUNT; count += 1) {
    const length = 5 + (count % 14);
    const text = `the value ${fillPattern(random, "9".repeat(length))} here`;
    for (const type of types(text)) found.set(type, (found.get(type) ?? 0) + 1);
  }
  expect([...found].filter(([, times]) => times > 0.2 * COUNT)).toEqual([]);
});
