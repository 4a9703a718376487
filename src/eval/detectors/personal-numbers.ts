import { personalData } from "../../detectors/personal-data/personal-data.js";
import { createRandom } from "../../retrieval/matcher/random.js";
import { fillPattern } from "../samples/identity-numbers.js";
import { PERSONAL_VALUES, type PersonalValues } from "../samples/personal-numbers.js";
import type { DetectorContext } from "./context.js";
import type { DetectorRow, DetectorSection } from "./result.js";
import { countOf, rowOf } from "./rows.js";
import type { TextScanner } from "./text-scan.js";

/** Evaluates personal data on generated values: valid ones, nearly valid ones, and plain numbers. */
export function evaluatePersonalNumbers(context: DetectorContext): DetectorSection {
  const scanner = context.scannerOf(personalData());
  return {
    title: "Personal data: generated numbers",
    notes: [
      "Recall is that of valid values, the rate of false positives that of values with a wrong check digit or part.",
      "The check digits of official numbers are those of the library `validator`. Random numbers have 5 to 19 digits.",
    ],
    rows: [...PERSONAL_VALUES.map((values) => valueRow(scanner, values, context)), ...randomRows(scanner, context)],
    curves: [],
  };
}

function valueRow(scanner: TextScanner, values: PersonalValues, { seed, generated }: DetectorContext): DetectorRow {
  const random = createRandom(seed);
  const valid = Array.from({ length: generated }, () => values.write(values.valid(random)));
  const near = Array.from({ length: generated }, () => values.write(values.near(random)));
  const scan = scanner.scan(valid);
  const isOfType = (found: readonly { readonly type: string }[]): boolean =>
    found.some(({ type }) => type === values.type);
  return rowOf({
    detector: scanner.detector.name,
    dataset: "generated",
    name: values.name,
    recall: countOf(scan.findings, isOfType),
    falsePositives: countOf(scanner.scan(near).findings, isOfType),
    cost: scan.cost,
    bounds: { recall: 0.99, falsePositiveRate: 0.01 },
  });
}

const LENGTHS = 15;
const SHORTEST = 5;
/** Random numbers for each generated value of a type. */
const TIMES = 12;

/** Returns a row for each type that is found in random numbers without a word near them, and one for all others. */
function randomRows(scanner: TextScanner, { seed, generated }: DetectorContext): readonly DetectorRow[] {
  const random = createRandom(seed);
  const texts = Array.from(
    { length: generated * TIMES },
    (_, index) => `the value ${fillPattern(random, "9".repeat(SHORTEST + (index % LENGTHS)))} here`,
  );
  const { findings } = scanner.scan(texts);
  const found = [...new Set(findings.flat().map(({ type }) => type))].sort();
  const row = (name: string, isFound: (type: string) => boolean): DetectorRow =>
    rowOf({
      detector: scanner.detector.name,
      dataset: "generated",
      name: `random numbers as ${name}`,
      falsePositives: countOf(findings, (own) => own.some(({ type }) => isFound(type))),
      bounds: { falsePositiveRate: 0.01 },
    });
  return [
    ...found.map((type) => row(type, (other) => other === type)),
    row("any other type", (type) => !found.includes(type)),
  ];
}
