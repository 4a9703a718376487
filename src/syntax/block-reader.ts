import type { LayoutLine } from "./layout.js";

/** The context of a statement on which its meaning depends. */
export interface Scope {
  readonly isInLoop: boolean;
}

/** Reads the lines of a block one after the other. Constructs that go on with `else` look ahead and take lines, too. */
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
    return this.#lines[this.#at - 1];
  }
}

/** Returns the end of a line and of all lines below it. */
export function endOfBlock(line: LayoutLine): number {
  let last = line;
  for (let child = last.children.at(-1); child; child = last.children.at(-1)) last = child;
  return last.end;
}
