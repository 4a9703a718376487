import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { EvaluationDataError } from "../../diagnostics/errors.js";
import { createSourceFile, type SourceFile, createSpan, type Span } from "../../diagnostics/source-file.js";

/** A data file as text with the name people know it by. */
export interface DataFile {
  readonly name: string;
  readonly text: string;
}

const MAX_PROBLEMS = 20;

/**
 * Reads a file of one JSON object per line; blank lines are skipped.
 *
 * @throws EvaluationDataError with file and line of every malformed row (the first twenty), or if there is no row
 *
 * @example
 * ```ts
 * readJsonLines({ name: "dev.jsonl", text: '{"text": "hi"}' }, (row) => row.text("text")); // ["hi"]
 * ```
 */
export function readJsonLines<Row>(file: DataFile, readRow: (row: JsonRow) => Row): Row[] {
  const source = createSourceFile(file.name, file.text);
  const rows: Row[] = [];
  const problems: Diagnostic[] = [];
  for (const [index, text] of source.text.split("\n").entries()) {
    const line = text.trimEnd();
    if (line === "") continue;
    try {
      rows.push(readRow(new JsonRow(source, index + 1, line)));
    } catch (error) {
      if (!EvaluationDataError.isInstance(error)) throw error;
      problems.push(...error.diagnostics);
    }
  }
  if (problems.length > MAX_PROBLEMS) {
    const hidden = problems.splice(MAX_PROBLEMS).length;
    problems.push(createDiagnostic("EV-102", `${hidden} more rows of the file are malformed`, { path: file.name }));
  }
  if (rows.length === 0 && problems.length === 0) {
    problems.push(createDiagnostic("EV-103", "the file holds no rows", { path: file.name }));
  }
  if (problems.length > 0) throw new EvaluationDataError(problems);
  return rows;
}

function rowProblem(message: string, span: Span, hint?: string): EvaluationDataError {
  return new EvaluationDataError([createDiagnostic("EV-102", message, { span, hint })]);
}

/** One line of a data file: an object whose fields are read by name and type. */
class JsonRow {
  /** Counted from 1, as editors do. */
  readonly line: number;
  readonly #span: Span;
  readonly #fields: Readonly<Record<string, unknown>>;

  /** @throws EvaluationDataError if the line is not a JSON object */
  constructor(source: SourceFile, line: number, text: string) {
    const start = source.lineStarts[line - 1] ?? 0;
    this.line = line;
    this.#span = createSpan(source, start, start + text.length);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw rowProblem("the line is not JSON", this.#span, "every line holds one JSON object");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw rowProblem("the line is not a JSON object", this.#span);
    }
    this.#fields = value as Readonly<Record<string, unknown>>;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#fields, key);
  }

  /** A text that is not blank. */
  text(key: string): string {
    const value = this.#value(key);
    if (typeof value === "string" && value.trim() !== "") return value;
    throw this.problem(key, `expected \`${key}\` to be a non-empty text`);
  }

  /** A list of any values. */
  list(key: string): readonly unknown[] {
    const value = this.#value(key);
    if (Array.isArray(value)) return value as readonly unknown[];
    throw this.problem(key, `\`${key}\` must be a list`);
  }

  boolean(key: string): boolean {
    const value = this.#value(key);
    if (typeof value === "boolean") return value;
    throw this.problem(key, `\`${key}\` must be true or false`);
  }

  /** An error of one field, placed on its name. */
  problem(key: string, message: string, hint?: string): EvaluationDataError {
    const quoted = JSON.stringify(key);
    const at = this.#span.source.text.indexOf(quoted, this.#span.start);
    const isOnLine = at !== -1 && at < this.#span.end;
    const span = isOnLine ? createSpan(this.#span.source, at, at + quoted.length) : this.#span;
    return rowProblem(message, span, hint);
  }

  #value(key: string): unknown {
    if (this.has(key)) return this.#fields[key];
    throw rowProblem(`there is no \`${key}\``, this.#span);
  }
}
