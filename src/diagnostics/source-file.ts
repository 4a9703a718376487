/** A text with a name and the offsets of its lines. Every location in a source refers to one. */
export interface SourceFile {
  /** A path relative to the configuration folder, or `main.co` for a string. */
  readonly name: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** A human-readable position: both numbers count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const BYTE_ORDER_MARK = 0xfeff;

/** Node prints a file by its name: `console.log(guardrails.warnings)` would otherwise print its whole text. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/**
 * Names a text and indexes its lines. A leading byte-order mark is dropped, so offsets never count it.
 *
 * @example
 * ```ts
 * const file = createSourceFile("main.co", "define bot hi\n  \"Hi.\"");
 * positionAt(file, 16); // { line: 2, column: 3 }
 * ```
 */
export function createSourceFile(name: string, content: string): SourceFile {
  const text = content.charCodeAt(0) === BYTE_ORDER_MARK ? content.slice(1) : content;
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  const file = { name, text, lineStarts };
  Object.defineProperty(file, INSPECT, { value: () => `[file ${name}]` });
  return file;
}

/** Returns the line and column of an offset; offsets beyond the end mean the end. */
export function positionAt(source: SourceFile, offset: number): Position {
  const target = Math.max(0, Math.min(offset, source.text.length));
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((source.lineStarts[middle] ?? 0) <= target) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: target - (source.lineStarts[low] ?? 0) + 1 };
}

/** Returns the text of a line (counted from 1) without its line end. */
export function lineText(source: SourceFile, line: number): string {
  const start = source.lineStarts[line - 1];
  if (start === undefined) return "";
  const next = source.lineStarts[line];
  return source.text.slice(start, next === undefined ? undefined : next - 1).replace(/\r$/, "");
}

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

/** Creates a span, ordering and clamping its ends so that it always lies inside its source. */
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
