import { createSpan, type SourceFile, type Span } from "../../diagnostics/source-file.js";

/** A row of a CSV file: its cells, and its position. */
export interface CsvRow {
  readonly cells: readonly string[];
  readonly span: Span;
}

/**
 * Reads comma-separated values as RFC 4180 has them: a cell in quotes may hold commas, line breaks and doubled quotes. Blank
 * lines are skipped. A quote that is not closed reaches to the end.
 */
export function readCsv(source: SourceFile): readonly CsvRow[] {
  const { text } = source;
  const rows: CsvRow[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    const cells: string[] = [];
    do {
      const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
      cells.push(cell.value);
      at = cell.end;
    } while (text[at++] === ",");
    const end = at - 1;
    if (text[end] === "\r") at += 1;
    if (cells.length > 1 || cells[0] !== "") rows.push({ cells, span: createSpan(source, start, end) });
  }
  return rows;
}

interface Cell {
  readonly value: string;
  /** Offset of the comma or the line break after it. */
  readonly end: number;
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
    if (quote === -1) return { value: value + text.slice(at), end: text.length };
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { value, end: plainCell(text, quote + 1).end };
    value += '"';
    at = quote + 2;
  }
}
