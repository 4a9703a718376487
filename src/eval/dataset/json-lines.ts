import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { EvaluationDataError } from "../../diagnostics/errors.js";
import { createSourceFile } from "../../diagnostics/source-file.js";
import { JsonRow, RowProblem } from "./json-row.js";

/** A data file as text with the name people know it by. */
export interface DataFile {
  readonly name: string;
  readonly text: string;
}

const MAX_PROBLEMS = 20;

/**
 * Reads a file of one JSON object per line; blank lines are skipped.
 *
 * @throws EvaluationDataError with file and line of every malformed row (the first twenty), or when there is no row
 *
 * @example
 * ```ts
 * readJsonLines({ name: "dev.jsonl", text: '{"text": "hi"}' }, (row) => row.text("text")); // ["hi"]
 * ```
 */
export function readJsonLines<Row>(file: DataFile, readRow: (row: JsonRow) => Row): Row[] {
  const source = createSourceFile(file.name, file.text);
  const rows: Row[] = [];
  const diagnostics: Diagnostic[] = [];
  let problems = 0;
  for (const [index, text] of source.text.split("\n").entries()) {
    const line = text.trimEnd();
    if (line === "") continue;
    try {
      rows.push(readRow(new JsonRow(source, index + 1, line)));
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      problems += 1;
      if (problems > MAX_PROBLEMS) continue;
      diagnostics.push(createDiagnostic("EV-102", error.message, { span: error.span, hint: error.hint }));
    }
  }
  if (problems > MAX_PROBLEMS) {
    const message = `${problems - MAX_PROBLEMS} more rows of the file are malformed`;
    diagnostics.push(createDiagnostic("EV-102", message, { path: file.name }));
  }
  if (diagnostics.length > 0) throw new EvaluationDataError(diagnostics);
  if (rows.length > 0) return rows;
  throw new EvaluationDataError([createDiagnostic("EV-103", "the file holds no rows", { path: file.name })]);
}
