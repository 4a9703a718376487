import { type DataFolder, requireFile } from "./data-folder.js";
import { readJsonLines } from "./json-lines.js";

/** A question that rests on something untrue. */
export interface FalsePremiseQuestion {
  readonly text: string;
  readonly line: number;
}

/**
 * Reads `false-premise.jsonl` (or `dev.jsonl`): `text`.
 *
 * @throws EvaluationDataError
 */
export async function loadHallucination(folder: DataFolder): Promise<readonly FalsePremiseQuestion[]> {
  const file = await requireFile(folder, "false-premise.jsonl", "dev.jsonl");
  return readJsonLines(file, (row) => ({ text: row.text("text"), line: row.line }));
}
