import type { SourceFile } from "../../diagnostics/source-file.js";
import { createSpan, type Span } from "../../diagnostics/span.js";

/** A complaint about one row; `readJsonLines` collects them. */
export class RowProblem extends Error {
  readonly span: Span;
  readonly hint: string | undefined;

  constructor(message: string, span: Span, hint?: string) {
    super(message);
    this.span = span;
    this.hint = hint;
  }
}

/** One line of a data file: an object whose fields are asked for by name and kind. */
export class JsonRow {
  /** Counted from 1, as editors do. */
  readonly line: number;
  readonly #span: Span;
  readonly #fields: Readonly<Record<string, unknown>>;

  /** @throws RowProblem when the line is no JSON object */
  constructor(source: SourceFile, line: number, text: string) {
    const start = source.lineStarts[line - 1] ?? 0;
    this.line = line;
    this.#span = createSpan(source, start, start + text.length);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new RowProblem("the line is not JSON", this.#span, "every line holds one JSON object");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new RowProblem("the line is not a JSON object", this.#span);
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
    throw this.problem(key, `\`${key}\` must be a text that is not empty`);
  }

  boolean(key: string): boolean {
    const value = this.#value(key);
    if (typeof value === "boolean") return value;
    throw this.problem(key, `\`${key}\` must be true or false`);
  }

  /** A complaint about one field, placed on its name. */
  problem(key: string, message: string, hint?: string): RowProblem {
    const quoted = JSON.stringify(key);
    const at = this.#span.source.text.indexOf(quoted, this.#span.start);
    const isOnLine = at !== -1 && at < this.#span.end;
    const span = isOnLine ? createSpan(this.#span.source, at, at + quoted.length) : this.#span;
    return new RowProblem(message, span, hint);
  }

  #value(key: string): unknown {
    if (this.has(key)) return this.#fields[key];
    throw new RowProblem(`there is no \`${key}\``, this.#span);
  }
}
