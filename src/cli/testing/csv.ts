import { createSpan, type SourceFile, type Span } from "../../diagnostics/source-file.js";

/** A row of a CSV file: its cells, and its position. */
export interface CsvRow {
  readonly cells: readonly string[];
  readonly span: Span;
  /** Error in the quotes of the row; its cells may be incorrect. */
  readonly mistake?: string;
}

/**
 * Parses comma-separated values as defined in RFC 4180: a quoted cell may contain commas, line breaks and doubled quotes. Blank
 * lines are skipped.
 */
export function readCsv(source: SourceFile): readonly CsvRow[] {
  const { text } = source;
  const rows: CsvRow[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    const cells: string[] = [];
    let mistake: string | undefined;
    do {
      const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
      cells.push(cell.value);
      mistake ??= cell.mistake;
      at = cell.end;
    } while (text[at++] === ",");
    const end = at - 1;
    if (text[end] === "\r") at += 1;
    if (cells.length > 1 || cells[0] !== "") {
      rows.push({ cells, span: createSpan(source, start, end), ...(mistake === undefined ? {} : { mistake }) });
    }
  }
  return rows;
}

interface Cell {
  readonly value: string;
  /** Offset of the comma or line break after the cell. */
  readonly end: number;
  readonly mistake?: string;
}

function plainCell(text: string, start: number): Cell {
  let end = start;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { value: text.slice(start, end).trim(), end };
}

function quotedCell(text: string, start: number): Cell {
  let value = "";
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) {
      return { value: value + text.slice(at), end: text.length, mistake: "the quote of a cell is not closed" };
    }
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const rest = plainCell(text, quote + 1);
      if (rest.value === "") return { value, end: rest.end };
      return { value, end: rest.end, mistake: "a cell has text after its closing quote" };
    }
    value += '"';
    at = quote + 2;
  }
}
