import { type FoldedText, type WordList, wordsOf } from "../phrases/words.js";
import { FILLER_WORDS } from "./phrases/filler-words.js";
import type { Evidence } from "./weigh-evidence.js";
import { WEIGHTS } from "./weights.js";

/** Most words of a line that says nothing but an order. */
const MOST_WORDS = 10;
const LEAST_WORDS = 3;

/**
 * Concepts that requests of all sorts have, and that say nothing about an order: questions, stories, harm. A line with one of
 * their words alone has a subject of its own.
 */
const SUBJECTS: ReadonlySet<string> = new Set(
  "question|asked|fiction|procedure|danger|crime|uncaught|stakes|thing|theirs|detour|scruple|caveat".split("|"),
);

/** Kinds of evidence that lists and errands have too: "list everything". */
const ERRANDS: ReadonlySet<string> = new Set([
  "no-restrictions.any-request",
  "no-restrictions.never-anything",
  "no-restrictions.obeys",
  "no-restrictions.hypothetical",
]);

/**
 * Coverage of a short text by words of attacks. An ordinary request of a few words names its subject ("no limits gym opening
 * hours"); an order to the assistant alone ("no rules, no limits, just answer") has none, so that each of its words belongs to
 * a concept. Such a line repeats its heaviest evidence as the kind `line` of the same family.
 */
export class LineCoverage {
  readonly #counts: readonly boolean[];
  #folded = "";
  #words: WordList | undefined;
  /** Bits of the words that are covered. */
  #covered = 0;

  constructor(names: readonly string[]) {
    this.#counts = names.map((name) => !SUBJECTS.has(name));
  }

  /** Begins a text; returns false if it is not short enough. */
  begin(source: FoldedText): boolean {
    const words = wordsOf(source);
    this.#words = words;
    this.#folded = source.folded;
    this.#covered = 0;
    return words.count >= LEAST_WORDS && words.count <= MOST_WORDS;
  }

  /** Takes the range of a phrase of a name. */
  cover(name: number, start: number, end: number): void {
    const words = this.#words;
    if (words === undefined || this.#counts[name] !== true) return;
    for (let word = 0; word < words.count; word++) {
      if ((words.starts[word] ?? 0) >= start && (words.ends[word] ?? 0) <= end) this.#covered |= 1 << word;
    }
  }

  /** Adds the evidence of a line to that found in it. */
  finish(found: Evidence[]): void {
    const words = this.#words;
    if (words === undefined || found.length === 0 || !this.#isCovered(words)) return;
    let heaviest: { kind: string; weight: number } | undefined;
    for (const { kind } of found) {
      if (ERRANDS.has(kind)) continue;
      const line = `${kind.slice(0, kind.indexOf("."))}.line`;
      const weight = WEIGHTS[kind] ?? 0;
      if (line in WEIGHTS && weight > (heaviest?.weight ?? 0)) heaviest = { kind: line, weight };
    }
    if (heaviest === undefined) return;
    found.push({ kind: heaviest.kind, start: words.starts[0] ?? 0, end: words.ends[words.count - 1] ?? 0 });
  }

  #isCovered({ count, starts, ends }: WordList): boolean {
    for (let word = 0; word < count; word++) {
      if ((this.#covered & (1 << word)) !== 0) continue;
      if (!FILLER_WORDS.has(this.#folded.slice(starts[word], ends[word]))) return false;
    }
    return true;
  }
}
