import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { isEmpty, formatPath, type RawEntry, type RawList, type RawMap, rawMap, sameData } from "../yaml/raw-node.js";

/**
 * The side that wins if both set a scalar. `second`: files of one folder, in path order. `first`: a configuration over
 * its imports.
 */
export interface MergeOptions {
  readonly winner: "first" | "second";
  /** Receives a warning for every overridden value, if given. */
  readonly warnings?: Diagnostic[];
}

/** Values that are replaced as a whole: merging two would create a third that no author wrote. */
const WHOLE = new Set(["user_messages", "bot_messages"]);

/** Keys for which the first file that sets one wins. */
const FIRST_NON_EMPTY = new Set(["actions_server_url"]);

/**
 * Merges two raw configurations: maps deeply, lists by concatenation without duplicates, scalars by `winner`. The last
 * matching prompt is used, so prompts of the stronger side come last.
 */
export function mergeRaw(first: RawMap, second: RawMap, options: MergeOptions, path: readonly string[] = []): RawMap {
  const entries = new Map<string, RawEntry>(first.entries);
  for (const [key, added] of second.entries) {
    const present = entries.get(key);
    entries.set(key, present ? mergeEntries(present, added, [...path, key], options) : added);
  }
  return rawMap(entries, first.span);
}

function mergeEntries(first: RawEntry, second: RawEntry, path: readonly string[], options: MergeOptions): RawEntry {
  const a = first.value;
  const b = second.value;
  const stronger = options.winner === "first" ? first : second;
  if (stronger.value.kind === "scalar" && stronger.value.unsets === true) return stronger;
  if (isEmpty(b)) return first;
  if (isEmpty(a)) return second;
  const isWhole = path.length === 2 && WHOLE.has(path[0] ?? "");
  if (!isWhole && a.kind === "map" && b.kind === "map") {
    return { keySpan: first.keySpan, value: mergeRaw(a, b, options, path) };
  }
  if (!isWhole && a.kind === "list" && b.kind === "list") {
    const reversed = path.length === 1 && path[0] === "prompts" && options.winner === "first";
    return { keySpan: first.keySpan, value: reversed ? joinLists(b, a) : joinLists(a, b) };
  }
  const winner = FIRST_NON_EMPTY.has(path.join(".")) ? "first" : options.winner;
  const [kept, lost] = winner === "first" ? [first, second] : [second, first];
  if (options.warnings && !sameData(a, b)) {
    const file = kept.keySpan?.source.name;
    const used = `the value of ${file ? `\`${file}\`` : "the other file"} is used`;
    report(options.warnings, "CF-203", `\`${formatPath(path)}\` is set twice; ${used}`, {
      span: lost.keySpan,
      labels: [{ span: kept.keySpan, text: "this one is used" }],
      path: formatPath(path),
    });
  }
  return kept;
}

/** Beyond this number of pairs, list entries that are maps are not compared with each other. */
const MAX_COMPARED_PAIRS = 100_000;

function joinLists(first: RawList, second: RawList): RawList {
  const scalars = new Set(first.items.map((item) => (item.kind === "scalar" ? item.value : item)));
  const comparesAll = first.items.length * second.items.length <= MAX_COMPARED_PAIRS;
  const added = second.items.filter((item) => {
    if (item.kind === "scalar") return !scalars.has(item.value);
    return !(comparesAll && first.items.some((other) => sameData(item, other)));
  });
  return { ...first, items: [...first.items, ...added] };
}
