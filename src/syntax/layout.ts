import type { SourceFile } from "../diagnostics/source-file.js";
import { type LayoutOptions, type LogicalLine, LogicalLineReader } from "./logical-line.js";

/** A logical line with the deeper lines below it. Odd layout is recorded here and reported by the parser. */
export interface LayoutLine extends LogicalLine {
  /** Full-line comments above, each without its `#`; a docstring in between has none and does not end them. */
  readonly comments: readonly string[];
  readonly children: readonly LayoutLine[];
  /** The indentation is smaller than that of the lines above, but no open block has it. */
  readonly strayDedent: boolean;
  readonly tooDeep: boolean;
}

const NO_COMMENTS: readonly string[] = [];

interface GrowingLine extends LayoutLine {
  readonly children: LayoutLine[];
}

interface Block {
  indent: number;
  readonly lines: LayoutLine[];
}

/**
 * Finds the logical lines of a source and nests them by indentation. Never fails, and looks at each character a bounded
 * number of times.
 *
 * INVARIANT: lines are in source order and do not overlap; every line with more than blanks and comments is part of
 * exactly one of them.
 *
 * @example
 * ```ts
 * const [header] = layOut(createSourceFile("main.co", "define bot hi\n  \"Hi.\""), options);
 * header.text; // "define bot hi"
 * header.children[0].text; // "\"Hi.\""
 * ```
 */
export function layOut(source: SourceFile, options: LayoutOptions): readonly LayoutLine[] {
  const reader = new LogicalLineReader(source, options);
  const root: Block = { indent: -1, lines: [] };
  const open: Block[] = [];
  let comments: string[] = [];
  let innermost: GrowingLine | undefined;
  for (let read = reader.next(); read; read = reader.next()) {
    if (read.kind === "comment") {
      comments.push(read.text);
      continue;
    }
    const { kind, start, end, text, indent, oddBlank, openString } = read;
    const { block, strayDedent, tooDeep } = findBlock(open, root, innermost, indent, options.maxDepth);
    const isCode = kind === "code";
    // Listed rather than spread: this runs for every line, and spreading takes several times as long.
    const line: GrowingLine = {
      kind,
      start,
      end,
      text,
      indent,
      oddBlank,
      openString,
      comments: isCode && comments.length > 0 ? comments : NO_COMMENTS,
      children: [],
      strayDedent,
      tooDeep,
    };
    block.lines.push(line);
    innermost = line;
    if (isCode && comments.length > 0) comments = [];
  }
  return root.lines;
}

function findBlock(
  open: Block[],
  root: Block,
  above: GrowingLine | undefined,
  indent: number,
  maxDepth: number,
): { block: Block; strayDedent: boolean; tooDeep: boolean } {
  const top = open.at(-1);
  if (!top || !above) {
    const first: Block = { indent, lines: root.lines };
    open.push(first);
    return { block: first, strayDedent: false, tooDeep: false };
  }
  if (indent > top.indent) {
    if (open.length >= maxDepth) return { block: top, strayDedent: false, tooDeep: true };
    const inner: Block = { indent, lines: above.children };
    open.push(inner);
    return { block: inner, strayDedent: false, tooDeep: false };
  }
  let left: Block = top;
  while (left.indent > indent && (open.at(-2)?.indent ?? -1) >= indent) {
    open.pop();
    left = open.at(-1) ?? top;
  }
  // Lines that match no open block join the nearest deeper one, which then takes their indentation.
  const strayDedent = left.indent !== indent;
  left.indent = indent;
  return { block: left, strayDedent, tooDeep: false };
}

/** Context of a statement that affects its meaning. */
export interface Scope {
  readonly isInLoop: boolean;
}

/** Reads the lines of a block in order. Constructs that continue with `else` look ahead and also take lines. */
export class BlockReader {
  readonly #lines: readonly LayoutLine[];
  #at = 0;

  constructor(lines: readonly LayoutLine[]) {
    this.#lines = lines;
  }

  /** The next line, without moving on. */
  peek(): LayoutLine | undefined {
    return this.#lines[this.#at];
  }

  next(): LayoutLine | undefined {
    this.#at += 1;
    return this.last;
  }

  /** The line that was read last. */
  get last(): LayoutLine | undefined {
    return this.#lines[this.#at - 1];
  }
}

/** Returns the end of a line and of all lines below it. */
export function endOfBlock(line: LayoutLine): number {
  let last = line;
  for (let child = last.children.at(-1); child; child = last.children.at(-1)) last = child;
  return last.end;
}
