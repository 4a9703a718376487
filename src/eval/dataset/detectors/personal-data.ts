import type { DataFile } from "../json-lines.js";
import { readJsonLines } from "../json-lines.js";

/** Range of a text, in UTF-16 code units, that is personal data of a type. */
export interface LabelledSpan {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** A text and the personal data in it. */
export interface PersonalDataSample {
  readonly text: string;
  readonly spans: readonly LabelledSpan[];
}

/**
 * Reads texts with `spans` of `type`, `start` and `end`. The offsets of the file count code points.
 *
 * @throws EvaluationDataError also for spans that are not within the text
 */
export function readPersonalData(file: DataFile): readonly PersonalDataSample[] {
  return readJsonLines(file, (row) => {
    const text = row.text("text");
    const units = unitOffsets(text);
    const spans = row.list("spans").map((span): LabelledSpan => {
      const { type, start, end } = (span ?? {}) as Readonly<Record<string, unknown>>;
      const from = units[Number(start)];
      const to = units[Number(end)];
      if (typeof type === "string" && from !== undefined && to !== undefined && from < to) {
        return { type, start: from, end: to };
      }
      throw row.problem("spans", "expected spans with `type`, `start` and `end` within the text");
    });
    return { text, spans };
  });
}

/** Offsets of the code points of a text, and its length, in UTF-16 code units. */
function unitOffsets(text: string): readonly number[] {
  const offsets = [0];
  for (const character of text) offsets.push((offsets.at(-1) ?? 0) + character.length);
  return offsets;
}
