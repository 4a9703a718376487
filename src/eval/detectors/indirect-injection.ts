import type { Finding } from "../../detectors/finding.js";
import { embeddedInstructions } from "../../detectors/instructions/embedded-instructions.js";
import { readHostDocuments, readPlantedInstructions } from "../dataset/detectors/planted-instructions.js";
import { groupBy } from "../dataset/sample.js";
import { cleanDocuments } from "../samples/clean-documents.js";
import { FINAL_FAMILIES, UNSEEN_FAMILIES } from "../samples/planted-instructions.js";
import type { DetectorContext } from "./context.js";
import type { DetectorRow, DetectorSection } from "./result.js";
import { countOf, curveOf, rowOf } from "./rows.js";
import { overlaps, type TextScanner } from "./text-scan.js";

/** A document with an instruction in it. */
interface PlantedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly category: string;
  readonly place: Place;
}

const PLACES = ["start", "middle", "end"] as const;
type Place = (typeof PLACES)[number];

/** Most clean documents of each of 40 kinds; one for every so many generated values. */
const PER_KIND = 20;
const VALUES_PER_DOCUMENT = 25;

/** Evaluates embedded instructions on documents with planted instructions and without any. */
export async function evaluateIndirectInjection(context: DetectorContext): Promise<DetectorSection> {
  const scanner = context.scannerOf(embeddedInstructions());
  const [attackFile, hostFile] = await Promise.all([
    context.read("indirect-injection", "attacks.dev.jsonl"),
    context.read("indirect-injection", "emails.dev.jsonl"),
  ]);
  const attacks = attackFile === undefined ? [] : readPlantedInstructions(attackFile);
  const hosts = hostFile === undefined ? [] : readHostDocuments(hostFile);
  const planted = attacks.flatMap(({ text, category }) =>
    hosts.flatMap((host) => PLACES.map((place) => plant(host, { text, category, place }))),
  );
  const perKind = Math.min(PER_KIND, Math.ceil(context.generated / VALUES_PER_DOCUMENT));
  const clean = cleanDocuments(perKind, context.seed);
  return {
    title: "Indirect injection",
    notes: [
      "An instruction counts as found if a finding overlaps it. Each is planted at the start, in the middle and at the end of each e-mail.",
      "Many of the planted texts are plain questions and requests, which only their place makes an attack.",
      "The families of instructions in generated documents were written after the first patterns; later ones were measured on them, not fitted.",
    ],
    rows: [
      ...plantedRows(scanner, planted),
      ...(hosts.length === 0
        ? []
        : [cleanRow(scanner, { dataset: "indirect-injection", name: "e-mails without", texts: hosts })]),
      familyRow(scanner, context),
      cleanRow(scanner, { dataset: "generated", name: "clean documents", texts: clean, bound: 0.005 }),
    ],
    curves: curveOf(
      "embedded instructions",
      scanner.scores(
        planted.map(({ text }) => text),
        (finding, index) => isFound(planted[index], [finding]),
      ),
      scanner.scores([...clean, ...hosts]),
    ),
  };
}

function plantedRows(scanner: TextScanner, planted: readonly PlantedText[]): readonly DetectorRow[] {
  if (planted.length === 0) return [];
  const { findings, cost } = scanner.scan(planted.map(({ text }) => text));
  const results = planted.map((attack, index) => ({ ...attack, found: isFound(attack, findings[index] ?? []) }));
  const row = (name: string, group: typeof results, bound?: number): DetectorRow =>
    rowOf({
      detector: scanner.detector.name,
      dataset: "indirect-injection",
      name,
      recall: countOf(group, ({ found }) => found),
      cost,
      bounds: bound === undefined ? {} : { recall: bound },
    });
  return [
    row("all together", results, 0.6),
    ...[...groupBy(results, ({ place }) => place)].map(([place, group]) => row(`at the ${place}`, group)),
    ...[...groupBy(results, ({ category }) => category)].map(([category, group]) => row(category, group)),
  ];
}

function familyRow(scanner: TextScanner, { seed }: DetectorContext): DetectorRow {
  const hosts = cleanDocuments(1, seed + 1);
  const families = [...Object.entries(UNSEEN_FAMILIES), ...Object.entries(FINAL_FAMILIES)];
  const planted = families.flatMap(([category, sentences]) =>
    sentences.flatMap((text, index) =>
      hosts
        .filter((_, host) => host % sentences.length === index)
        .map((host, number) => plant(host, { text, category, place: PLACES[number % PLACES.length] ?? "end" })),
    ),
  );
  const { findings, cost } = scanner.scan(planted.map(({ text }) => text));
  return rowOf({
    detector: scanner.detector.name,
    dataset: "generated",
    name: `${families.length} families of instructions`,
    recall: countOf([...planted.entries()], ([index, attack]) => isFound(attack, findings[index] ?? [])),
    cost,
    bounds: { recall: 0.4 },
  });
}

function cleanRow(
  scanner: TextScanner,
  { dataset, name, texts, bound }: { dataset: string; name: string; texts: readonly string[]; bound?: number },
): DetectorRow {
  const { findings, cost } = scanner.scan(texts);
  const falsePositives = countOf(findings, (found) => found.length > 0);
  const bounds = bound === undefined ? {} : { falsePositiveRate: bound };
  return rowOf({ detector: scanner.detector.name, dataset, name, falsePositives, cost, bounds });
}

function isFound(planted: PlantedText | undefined, findings: readonly Finding[]): boolean {
  return planted !== undefined && findings.some((finding) => overlaps(finding, planted));
}

/** Inserts an instruction on its own line; the middle is the nearest end of a sentence. */
function plant(host: string, { text, category, place }: Pick<PlantedText, "text" | "category" | "place">): PlantedText {
  const at = place === "start" ? 0 : place === "end" ? host.length : middleOf(host);
  const before = at === 0 ? "" : `${host.slice(0, at)}\n`;
  const after = at === host.length ? "" : `\n${host.slice(at).trimStart()}`;
  return { text: before + text + after, start: before.length, end: before.length + text.length, category, place };
}

function middleOf(host: string): number {
  const middle = host.length / 2;
  let best = 0;
  for (const { index } of host.matchAll(/[.!?](?=\s)|\n/g)) {
    if (Math.abs(index + 1 - middle) < Math.abs(best - middle)) best = index + 1;
  }
  return best === 0 ? Math.floor(middle) : best;
}
