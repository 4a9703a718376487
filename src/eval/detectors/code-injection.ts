import { codeInjection, type InjectionKind } from "../../detectors/code-injection/code-injection.js";
import { readLabelledInputs } from "../dataset/detectors/labelled-inputs.js";
import { groupBy } from "../dataset/sample.js";
import { SHELL, SQL, TEMPLATE } from "../samples/code-payloads.js";
import type { PayloadFamily } from "../samples/payload-family.js";
import { SCRIPT } from "../samples/script-payloads.js";
import { benignRows, benignTexts, type DetectorContext } from "./context.js";
import type { DetectorRow, DetectorSection } from "./result.js";
import { countOf, curveOf, rowOf } from "./rows.js";
import type { TextScanner } from "./text-scan.js";

const GENERATED: Readonly<Record<InjectionKind, readonly PayloadFamily[]>> = {
  sql: SQL,
  shell: SHELL,
  template: TEMPLATE,
  script: SCRIPT,
};

/** Evaluates code injection on payloads, on inputs that tripped other detectors, and on prose. */
export async function evaluateCodeInjection(context: DetectorContext): Promise<DetectorSection> {
  const scanner = context.scannerOf(codeInjection());
  const file = await context.read("code-injection", "dev.jsonl");
  const inputs = file === undefined ? [] : readLabelledInputs(file);
  const attacks = inputs.filter(({ label }) => label !== "benign").map(({ text }) => text);
  const benign = inputs.filter(({ label }) => label === "benign").map(({ text }) => text);
  const kinds = [...groupBy(inputs, ({ label }) => label)].filter(([label]) => label !== "benign");
  return {
    title: "Code injection",
    notes: [
      "The rows `false_positives` are benign inputs that once tripped another detector. Prose are the benign texts.",
    ],
    rows: [
      ...(attacks.length === 0 ? [] : [attackRow(scanner, { name: "all together", texts: attacks, bound: 0.95 })]),
      ...kinds.map(([name, group]) => attackRow(scanner, { name, texts: group.map(({ text }) => text), bound: 0.95 })),
      ...(benign.length === 0 ? [] : [trippedRow(scanner, benign)]),
      ...Object.entries(GENERATED).map(([kind, families]) =>
        attackRow(scanner, {
          dataset: "generated",
          name: `${kind} payloads`,
          texts: families.flatMap(({ payloads }) => payloads),
          bound: 0.95,
        }),
      ),
      ...benignRows(scanner, context, { pooled: 0.001 }),
    ],
    curves: curveOf("code injection", scanner.scores(attacks), scanner.scores([...benign, ...benignTexts(context)])),
  };
}

interface Attacks {
  readonly dataset?: string;
  readonly name: string;
  readonly texts: readonly string[];
  readonly bound: number;
}

function attackRow(scanner: TextScanner, { dataset = "code-injection", name, texts, bound }: Attacks): DetectorRow {
  const { findings, cost } = scanner.scan(texts);
  const recall = countOf(findings, (found) => found.length > 0);
  return rowOf({ detector: scanner.detector.name, dataset, name, recall, cost, bounds: { recall: bound } });
}

function trippedRow(scanner: TextScanner, texts: readonly string[]): DetectorRow {
  const { findings, cost } = scanner.scan(texts);
  return rowOf({
    detector: scanner.detector.name,
    dataset: "code-injection",
    name: "false_positives",
    falsePositives: countOf(findings, (found) => found.length > 0),
    cost,
    bounds: { falsePositiveRate: 0.05 },
  });
}
