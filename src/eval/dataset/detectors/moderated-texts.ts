import { type DataFile, readJsonLines } from "../json-lines.js";

/**
 * A text labelled as hateful, harassing, violent or about self-harm, or not; undefined where annotators were unsure.
 */
export interface ModeratedText {
  readonly text: string;
  readonly toxic: boolean | undefined;
}

/** Labels for hate and harassment, which single words indicate best. */
const TOXIC: ReadonlySet<unknown> = new Set(["H", "H2", "HR"]);

/**
 * Reads texts with `labels` and `unknown`, a list of categories that were not judged.
 *
 * @throws EvaluationDataError
 */
export function readModeratedTexts(file: DataFile): readonly ModeratedText[] {
  return readJsonLines(file, (row) => {
    const labels = row.list("labels");
    const isToxic = labels.some((label) => TOXIC.has(label));
    const isUnclear = !isToxic && (labels.length > 0 || row.list("unknown").some((label) => TOXIC.has(label)));
    return { text: row.text("text"), toxic: isUnclear ? undefined : isToxic };
  });
}
