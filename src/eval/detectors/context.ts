import type { Detector } from "../../detectors/detector.js";
import type { DataFolder } from "../dataset/data-folder.js";
import { BENIGN_FOLDERS, type BenignTexts, readBenignTexts } from "../dataset/detectors/benign-texts.js";
import type { DataFile } from "../dataset/json-lines.js";
import type { DetectorRow } from "./result.js";
import { type Count, countOf, rowOf, sumOf } from "./rows.js";
import { TextScanner } from "./text-scan.js";

/** Data and settings that the evaluations of all detectors share. */
export interface DetectorContext {
  readonly seed: number;
  /** Number of generated values of each kind. */
  readonly generated: number;
  readonly benign: readonly BenignTexts[];
  /** Returns a file of a data set, and notes that it is skipped if it is not there. */
  readonly read: (dataset: string, file: string) => Promise<DataFile | undefined>;
  readonly skipped: ReadonlySet<string>;
  readonly scannerOf: (detector: Detector) => TextScanner;
  readonly now: () => number;
}

/** Reads the data that all evaluations share. */
export async function createContext(
  data: DataFolder,
  options: Pick<DetectorContext, "seed" | "generated" | "now">,
): Promise<DetectorContext> {
  const skipped = new Set<string>();
  const benign = await readBenignTexts(data);
  for (const folder of BENIGN_FOLDERS) {
    if (!benign.some(({ name }) => name === folder || name.startsWith(`${folder}: `))) skipped.add(folder);
  }
  return {
    ...options,
    benign,
    skipped,
    read: async (dataset, name) => {
      const file = await data.folder(dataset).read(name);
      if (file === undefined) skipped.add(`${dataset}/${name}`);
      return file;
    },
    scannerOf: (detector) => new TextScanner(detector, options.now),
  };
}

/** Greatest rates of false positives: over all benign texts, and over those of each source. */
export interface BenignBounds {
  readonly pooled?: number;
  readonly each?: number;
}

/** Returns the rates of false positives of a detector on benign texts, of all together and by source. */
export function benignRows(
  scanner: TextScanner,
  context: DetectorContext,
  bounds: BenignBounds,
): readonly DetectorRow[] {
  const counts: Count[] = [];
  const rows = context.benign.map(({ name, texts }) => {
    const { findings, cost } = scanner.scan(texts);
    const falsePositives = countOf(findings, (found) => found.length > 0);
    counts.push(falsePositives);
    return benignRow(scanner, name, { falsePositives, cost }, bounds.each);
  });
  if (rows.length === 0) return [];
  return [benignRow(scanner, "all together", { falsePositives: sumOf(counts) }, bounds.pooled), ...rows];
}

function benignRow(
  { detector }: TextScanner,
  name: string,
  figures: { readonly falsePositives: Count; readonly cost?: number | undefined },
  bound: number | undefined,
): DetectorRow {
  const bounds = bound === undefined ? {} : { falsePositiveRate: bound };
  return rowOf({ detector: detector.name, dataset: "benign texts", name, ...figures, bounds });
}

/** Texts of all benign sources. */
export function benignTexts({ benign }: DetectorContext): readonly string[] {
  return benign.flatMap(({ texts }) => texts);
}
