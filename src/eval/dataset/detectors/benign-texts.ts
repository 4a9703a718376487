import type { DataFolder } from "../data-folder.js";
import { type DataFile, readJsonLines } from "../json-lines.js";
import { bySource, readLabelledInputs } from "./labelled-inputs.js";

/** Texts of one source in which no detector of attacks should find anything. */
export interface BenignTexts {
  /** Name for people: the data set, and the source within it. */
  readonly name: string;
  readonly texts: readonly string[];
}

interface BenignSet {
  readonly folder: string;
  readonly files: readonly string[];
  /** Returns the texts of a file by source; the name of a source may be empty. */
  readonly read: (file: DataFile) => ReadonlyMap<string, readonly string[]>;
}

const plainTexts: BenignSet["read"] = (file) => new Map([["", readJsonLines(file, (row) => row.text("text"))]]);

/** Texts that are labelled as safe. */
const safeTexts: BenignSet["read"] = (file) => {
  const rows = readJsonLines(file, (row) => ({ text: row.text("text"), label: row.text("label") }));
  return new Map([["safe", rows.filter(({ label }) => label === "safe").map(({ text }) => text)]]);
};

const SETS: readonly BenignSet[] = [
  { folder: "benign-prompts", files: ["dev.jsonl"], read: (file) => bySource(readLabelledInputs(file)) },
  { folder: "banking77", files: ["index.jsonl", "dev.jsonl"], read: plainTexts },
  { folder: "clinc150", files: ["train.jsonl", "dev.jsonl"], read: plainTexts },
  { folder: "xstest", files: ["dev.jsonl"], read: safeTexts },
];

/** Names of the folders that `readBenignTexts` reads. */
export const BENIGN_FOLDERS: readonly string[] = SETS.map(({ folder }) => folder);

/**
 * Reads the benign texts of all sets present.
 *
 * @throws EvaluationDataError for malformed rows
 */
export async function readBenignTexts(data: DataFolder): Promise<readonly BenignTexts[]> {
  const texts = new Map<string, string[]>();
  for (const { folder, files, read } of SETS) {
    for (const name of files) {
      const file = await data.folder(folder).read(name);
      if (file === undefined) continue;
      for (const [source, group] of read(file)) {
        const title = source === "" ? folder : `${folder}: ${source}`;
        texts.set(title, [...(texts.get(title) ?? []), ...group]);
      }
    }
  }
  return [...texts].map(([name, group]) => ({ name, texts: group }));
}
