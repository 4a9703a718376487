import { positionAt, type SourceFile } from "./source-file.js";

/** A range of a source: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly source: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** A span as plain data, for programs, states and logs that must be JSON. Lines and columns count from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Makes a span, ordering and clamping its ends so that it always lies inside its source. */
export function createSpan(source: SourceFile, start: number, end: number): Span {
  const low = Math.max(0, Math.min(start, source.text.length));
  return { source, start: low, end: Math.max(low, Math.min(end, source.text.length)) };
}

export function spanText(span: Span): string {
  return span.source.text.slice(span.start, span.end);
}

export function locationOf(span: Span): SourceLocation {
  const { line, column } = positionAt(span.source, span.start);
  return { file: span.source.name, line, column };
}
