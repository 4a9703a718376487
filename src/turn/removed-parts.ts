import { deferPattern } from "../diagnostics/defer-pattern.js";
/** Above this number of token pairs, everything between the common ends counts as removed. */
const MAX_PAIRS = 250_000;

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the parts of `before` that are missing in `after`, such as names that a rail masked. */
export function removedParts(before: string, after: string): readonly string[] {
  const left = tokensOf(before);
  const right = tokensOf(after);
  let head = 0;
  while (head < left.length && head < right.length && left[head]?.text === right[head]?.text) head += 1;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left.at(-1 - tail)?.text === right.at(-1 - tail)?.text
  ) {
    tail += 1;
  }
  const middle = left.slice(head, left.length - tail);
  const kept = keptTokens(middle, right.slice(head, right.length - tail));
  const parts: string[] = [];
  let first: Token | undefined;
  for (const [index, token] of middle.entries()) {
    if (kept.has(index)) {
      first = undefined;
      continue;
    }
    const isNew = first === undefined;
    first ??= token;
    const part = before.slice(first.start, token.end);
    if (isNew) parts.push(part);
    else parts[parts.length - 1] = part;
  }
  return parts.filter((part) => letter().test(part));
}

const letter = deferPattern(String.raw`[\p{L}\p{N}]`, "u");
const token = deferPattern(String.raw`[\p{L}\p{N}]+|[^\p{L}\p{N}\s]`, "gu");

function tokensOf(text: string): readonly Token[] {
  return Array.from(text.matchAll(token()), ({ 0: found, index }) => ({
    text: found,
    start: index,
    end: index + found.length,
  }));
}

/** Indexes of the tokens of `left` that also occur in `right`, in the same order. */
function keptTokens(left: readonly Token[], right: readonly Token[]): ReadonlySet<number> {
  const kept = new Set<number>();
  if (left.length * right.length > MAX_PAIRS) return kept;
  const columns = [...right.entries()].reverse();
  /** Number of tokens kept from each token of `left` on, by the first remaining token of `right`. */
  const lengths: number[][] = left.map(() => []);
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (const [row, { text }] of [...left.entries()].reverse()) {
    const line = (lengths[row] = Array.from<number>({ length: right.length }));
    for (const [column, other] of columns) {
      line[column] =
        text === other.text ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  let column = 0;
  for (const [row, { text }] of left.entries()) {
    while (text !== right[column]?.text && at(row, column + 1) > at(row + 1, column)) column += 1;
    if (text !== right[column]?.text) continue;
    kept.add(row);
    column += 1;
  }
  return kept;
}
