import type { Finding } from "../detectors/finding.js";
import { InputShapeError } from "../diagnostics/errors.js";
import { joinsOf } from "./tool-subject.js";

/** Search in the items of a list and in their joined text, and the replacement of findings in an item. */
export interface ItemSearch {
  find(text: string): readonly Finding[];
  /** The search without services, for texts that were not searched before. */
  findAgain(text: string): readonly Finding[];
  replace(text: string, findings: readonly Finding[]): string;
}

/**
 * Replaces findings in the items of a list, and the part of each item in a finding over several of them: `["020 7946", "0958"]`.
 *
 * @throws InputShapeError if a finding over several items is left
 */
export function replaceInItems(items: readonly string[], { find, findAgain, replace }: ItemSearch): readonly string[] {
  const own = items.map(find);
  const found = own.map((findings): Finding[] => [...findings]);
  for (const [at, part] of partsIn(items, own, find)) found[at]?.push(part);
  const replaced = items.map((item, at) => {
    const findings = found[at] ?? [];
    return findings.length === 0 ? item : replace(item, findings);
  });
  const isChanged = replaced.some((item, at) => item !== items[at]);
  if (isChanged && partsIn(replaced, [], findAgain).some(([, { isSplit }]) => isSplit)) refuseSplit();
  return replaced;
}

/**
 * Rewrites the items of a list one by one.
 *
 * @throws InputShapeError if the function still changes the joined items where two of them meet, though no item by itself: a value
 *   is split over them
 */
export function rewriteItems(items: readonly string[], rewrite: (text: string) => string): readonly string[] {
  const rewritten = items.map(rewrite);
  const isFinal = (item: string): boolean => rewrite(item) === item;
  for (const { separator, text } of joinsOf(rewritten)) {
    // With a text at the end, a removed value differs from a shortened text.
    const joined = `${text} ${END}`;
    const changed = changedRange(joined, rewrite(joined));
    if (changed === undefined || !rewritten.every(isFinal)) continue;
    if (startsOf(rewritten, separator).some((start) => changed.start < start && start < changed.end)) refuseSplit();
  }
  return rewritten;
}

const END = "end";

/** Returns the range of a text that a changed one differs in; undefined if it is the same or only shorter. */
function changedRange(text: string, changed: string): { readonly start: number; readonly end: number } | undefined {
  if (text.startsWith(changed)) return undefined;
  const shorter = Math.min(text.length, changed.length);
  let start = 0;
  while (start < shorter && text[start] === changed[start]) start++;
  let same = 0;
  while (same < shorter - start && text.at(-1 - same) === changed.at(-1 - same)) same++;
  return { start, end: text.length - same };
}

function refuseSplit(): never {
  throw new InputShapeError("a value that is split over the items of a list is left after its parts were replaced");
}

/** Part of a finding in one item. */
interface FindingPart extends Finding {
  /** True if other items have parts of it, too. */
  readonly isSplit: boolean;
}

/**
 * Returns the parts of the findings in the joined items, each with the index of its item. A value that stands in an item does not
 * go on in the next one, which only seems to belong to it where nothing is in between.
 *
 * @param own - findings of each item
 */
function partsIn(
  items: readonly string[],
  own: readonly (readonly Finding[])[],
  find: (text: string) => readonly Finding[],
): readonly (readonly [item: number, part: FindingPart])[] {
  const parts: (readonly [number, FindingPart])[] = [];
  for (const { separator, text } of joinsOf(items)) {
    const findings = find(text);
    if (findings.length === 0) continue;
    const starts = startsOf(items, separator);
    for (const finding of findings) {
      const first = parts.length;
      for (let at = lastAt(starts, finding.start); (starts[at] ?? finding.end) < finding.end; at++) {
        const from = starts[at] ?? 0;
        const start = Math.max(0, finding.start - from);
        const end = Math.min(items[at]?.length ?? 0, finding.end - from);
        if (start < end) parts.push([at, { ...finding, start, end, isSplit: parts.length > first }]);
      }
      const [item, part] = parts[first] ?? [0, undefined];
      if (part !== undefined && parts.length > first + 1) parts[first] = [item, { ...part, isSplit: true }];
      if (
        separator === "" &&
        parts.slice(first).some(([at, partFinding]) => own[at]?.some((known) => isAlike(known, partFinding)))
      ) {
        parts.length = first;
      }
    }
  }
  return parts;
}

/** Returns true if a finding in an item is as good as a part of one over several items. */
function isAlike(known: Finding, { type, rule, start, end }: FindingPart): boolean {
  return known.type === type && known.rule === rule && known.start >= start && known.end <= end;
}

function startsOf(items: readonly string[], separator: string): readonly number[] {
  let start = 0;
  return items.map(({ length }) => {
    const at = start;
    start += length + separator.length;
    return at;
  });
}

/** Returns the index of the last start at or before an offset. */
function lastAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return Math.max(0, low - 1);
}
