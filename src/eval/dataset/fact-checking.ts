import { type DataFolder, requireFile } from "./data-folder.js";
import { readJsonLines } from "./json-lines.js";

/** An answer, what it should rest on, and whether it does. */
export interface FactSample {
  readonly evidence: string;
  readonly question: string;
  readonly answer: string;
  readonly grounded: boolean;
  readonly line: number;
}

/**
 * Reads `dev.jsonl` of a fact-checking set: `evidence`, `question`, `answer`, `grounded`.
 *
 * @throws EvaluationDataError
 */
export async function loadFactChecking(folder: DataFolder): Promise<readonly FactSample[]> {
  return readJsonLines(await requireFile(folder, "dev.jsonl"), (row) => ({
    evidence: row.text("evidence"),
    question: row.text("question"),
    answer: row.text("answer"),
    grounded: row.boolean("grounded"),
    line: row.line,
  }));
}
