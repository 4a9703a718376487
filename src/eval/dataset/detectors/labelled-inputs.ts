import { groupBy } from "../sample.js";
import { type DataFile, readJsonLines } from "../json-lines.js";

/** A text with its label and the place it came from. */
export interface LabelledInput {
  readonly text: string;
  readonly label: string;
  readonly source: string;
}

/**
 * Reads texts with a `label` and a `source`.
 *
 * @throws EvaluationDataError
 */
export function readLabelledInputs(file: DataFile): readonly LabelledInput[] {
  return readJsonLines(file, (row) => ({
    text: row.text("text"),
    label: row.text("label"),
    source: row.text("source"),
  }));
}

/** Texts by the place they came from. */
export function bySource(rows: readonly LabelledInput[]): ReadonlyMap<string, readonly string[]> {
  const groups = groupBy(rows, ({ source }) => source);
  return new Map([...groups].map(([source, group]) => [source, group.map(({ text }) => text)]));
}
