import type { Finding } from "../../detectors/finding.js";
import { personalData } from "../../detectors/personal-data/personal-data.js";
import { type LabelledSpan, type PersonalDataSample, readPersonalData } from "../dataset/detectors/personal-data.js";
import { benignRows, benignTexts, type DetectorContext } from "./context.js";
import type { DetectorRow, DetectorSection } from "./result.js";
import { countOf, curveOf, rowOf } from "./rows.js";
import { overlaps, type TextScanner } from "./text-scan.js";
import { isCardNumber } from "../samples/check-digits.js";

/** Types of the data set that the detector finds by their form, with the least recall and precision. */
const TYPES: Readonly<Record<string, { readonly recall: number; readonly precision: number } | undefined>> = {
  EMAIL_ADDRESS: { recall: 1, precision: 1 },
  IBAN_CODE: { recall: 1, precision: 1 },
  CREDIT_CARD: { recall: 0.97, precision: 0.99 },
  IP_ADDRESS: { recall: 1, precision: 1 },
  PHONE_NUMBER: { recall: 0.85, precision: 0.85 },
  DOMAIN_NAME: { recall: 0.98, precision: 0.98 },
  STREET_ADDRESS: undefined,
  ZIP_CODE: undefined,
};

/** Evaluates personal data on labelled sentences and benign texts. */
export async function evaluatePersonalData(context: DetectorContext): Promise<DetectorSection> {
  const scanner = context.scannerOf(personalData());
  const file = await context.read("pii-synthetic", "dev.jsonl");
  const samples = file === undefined ? [] : readPersonalData(file);
  return {
    title: "Personal data",
    notes: [
      "A finding counts where it overlaps personal data of the same type. Cards count in recall with 12 to 19 digits and a check digit.",
      "Benign texts may hold personal data, such as public links: their rate is that of texts with any finding.",
    ],
    rows: [...labelledRows(scanner, samples), ...benignRows(scanner, context, {})],
    curves:
      samples.length === 0
        ? []
        : curveOf("personal data", scoresOf(scanner, samples), scanner.scores(benignTexts(context))),
  };
}

function labelledRows(scanner: TextScanner, samples: readonly PersonalDataSample[]): readonly DetectorRow[] {
  const { findings, cost } = scanner.scan(samples.map(({ text }) => text));
  return Object.entries(TYPES).flatMap(([type, bounds]) => {
    const labelled = samples.flatMap((sample, index) =>
      sample.spans
        .filter((span) => span.type === type && isCounted(span, sample.text))
        .map((span) => ({ span, own: findings[index] ?? [] })),
    );
    const found = findings.flatMap((own, index) =>
      own
        .filter((finding) => finding.type === type)
        .map((finding) => ({ finding, spans: samples[index]?.spans ?? [] })),
    );
    if (labelled.length === 0 && found.length === 0) return [];
    return rowOf({
      detector: scanner.detector.name,
      dataset: "pii-synthetic",
      name: type,
      recall: countOf(labelled, ({ span, own }) => own.some((finding) => isSame(finding, span))),
      precision: countOf(found, ({ finding, spans }) => spans.some((span) => isSame(finding, span))),
      cost,
      ...(bounds === undefined ? {} : { bounds }),
    });
  });
}

function isSame(finding: Finding, span: LabelledSpan): boolean {
  return finding.type === span.type && overlaps(finding, span);
}

function isCounted({ type, start, end }: LabelledSpan, text: string): boolean {
  return type !== "CREDIT_CARD" || isCardNumber(text.slice(start, end));
}

/** Returns the best score of a right finding in each text that has one of the types with a bar. */
function scoresOf(scanner: TextScanner, samples: readonly PersonalDataSample[]): readonly number[] {
  const withData = samples.filter(({ spans }) => spans.some(({ type }) => TYPES[type] !== undefined));
  return scanner.scores(
    withData.map(({ text }) => text),
    (finding, index) => (withData[index]?.spans ?? []).some((span) => isSame(finding, span)),
  );
}
