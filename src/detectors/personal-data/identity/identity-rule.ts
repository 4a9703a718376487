import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { isNearWord, raiseScore } from "../../scan/context-words.js";
import { beginsCell, isAlphanumeric, isDigit, isEscapeAt, isWordAt } from "../digit-groups.js";
import { ID_WORDS, type IdentityFormat } from "./identity-format.js";

const MAX_LETTERS = 8;
const MAX_RUN = 32;

/** Official numbers of all formats: the letters and the number of digits at the start of a candidate select the few to try. */
export function identityRule(formats: readonly IdentityFormat[]): TriggerRule {
  const byStart: FormatsByStart = new Map();
  for (const format of formats) {
    for (const letters of format.letters ?? [0]) {
      for (const run of format.runs) {
        const key = keyOf(letters, run);
        byStart.set(key, [...(byStart.get(key) ?? []), format]);
      }
    }
  }
  return {
    name: "official-number",
    views: "decoded",
    type: "ID",
    score: 0,
    reach: 96,
    before: MAX_LETTERS + 3,
    digits: 1,
    find: (view, start, end) => findNumber(view, start, end, byStart),
  };
}

type FormatsByStart = Map<number, readonly IdentityFormat[]>;

/** Match of a format; `rank` is 3 if words name its country too, 2 if words of its own support it, 1 if those of all numbers do. */
interface RankedMatch extends RuleMatch {
  readonly score: number;
  readonly rank: number;
}

function findNumber(view: TextView, digits: number, end: number, formats: FormatsByStart): RankedMatch | undefined {
  if (end - digits > MAX_RUN) return undefined;
  const { text } = view;
  let start = digits;
  while (digits - start <= MAX_LETTERS && isLetterAt(text, start - 1)) start--;
  const best = bestOf(view, start, formats.get(keyOf(digits - start, end - digits)));
  if (start < digits || !/[ -]/.test(text.charAt(digits - 1))) return best;
  // Letters may stand apart: "QQ 12 34 56 C", "X-1234567-L".
  while (digits - start <= MAX_LETTERS && isLetterAt(text, start - 2)) start--;
  if (start === digits) return best;
  return betterOf(best, bestOf(view, start - 1, formats.get(keyOf(digits - start, end - digits))));
}

function bestOf(
  view: TextView,
  start: number,
  formats: readonly IdentityFormat[] | undefined,
): RankedMatch | undefined {
  if (formats === undefined || continues(view.text, start)) return undefined;
  const place = new NumberPlace(view, start);
  let best: RankedMatch | undefined;
  for (const format of formats) best = betterOf(best, matchOf(place, format));
  if (best === undefined || view.text.charAt(start - 1) !== ",") return best;
  return beginsCell(view.text, start, best.end) ? best : undefined;
}

/** Words decide before certainty: many numbers have the form of several countries. */
function betterOf(one: RankedMatch | undefined, other: RankedMatch | undefined): RankedMatch | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const gain = other.rank - one.rank || other.score - one.score || lengthOf(other) - lengthOf(one);
  return gain > 0 ? other : one;
}

function lengthOf({ start, end }: RuleMatch): number {
  return end - start;
}

/** Start of a candidate, with what several formats ask about it. */
class NumberPlace {
  readonly #words = new Map<readonly string[], boolean>();
  #end = -1;
  #compact = "";

  constructor(
    readonly view: TextView,
    readonly start: number,
  ) {}

  /** Letters (upper case) and digits up to an offset; undefined if the number goes on there. */
  compactTo(end: number): string | undefined {
    if (end === this.#end) return this.#compact;
    const { text } = this.view;
    const next = text.charCodeAt(end + 1);
    const after = text.charAt(end);
    const goesOn = after === "-" ? isAlphanumeric(next) : /[.,/]/.test(after) && isDigit(next);
    if ((goesOn && !(after === "," && this.#isCell(end))) || isWordAt(text, end)) return undefined;
    this.#end = end;
    this.#compact = text
      .slice(this.start, end)
      .replace(/[^A-Za-z0-9]+/g, "")
      .toUpperCase();
    this.#words.clear();
    return this.#compact;
  }

  /** Returns true if a comma and a digit after the number begin another value of the line, and not the cents of an amount. */
  #isCell(end: number): boolean {
    const { view, start } = this;
    const before = view.text.charAt(start - 1);
    return before === "" || /[,;|\t\n"'[(]/.test(before) || /[^\d .]/.test(view.text.slice(start, end));
  }

  isNear(end: number, words: readonly string[]): boolean {
    const known = this.#words.get(words);
    if (known !== undefined) return known;
    const isNear = isNearWord(this.view, { start: this.start, end }, words);
    this.#words.set(words, isNear);
    return isNear;
  }
}

function matchOf(place: NumberPlace, format: IdentityFormat): RankedMatch | undefined {
  const { start } = place;
  const { pattern, type } = format;
  pattern.lastIndex = start;
  if (!pattern.test(place.view.text)) return undefined;
  const end = pattern.lastIndex;
  const compact = place.compactTo(end);
  if (compact === undefined || format.check?.(compact) === false) return undefined;
  const base = compact.length === end - start ? format.score : (format.grouped ?? format.score);
  if (place.isNear(end, format.context)) {
    const isOfCountry = format.country !== undefined && place.isNear(end, format.country);
    return { start, end, type, score: raiseScore(base), rank: isOfCountry ? 3 : 2 };
  }
  if (format.national !== true || !place.isNear(end, ID_WORDS)) return { start, end, type, score: base, rank: 0 };
  return { start, end, type, score: raiseScore(base), rank: 1 };
}

/** Returns true if what begins at an offset belongs to what stands before it. */
function continues(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  return isWordAt(text, start - 1) || (/[-./]/.test(before) && isAlphanumeric(text.charCodeAt(start - 2)));
}

function keyOf(letters: number, run: number): number {
  return letters * (MAX_RUN + 1) + run;
}

function isLetterAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const lower = code | 32;
  return lower >= 97 && lower <= 122 && !isEscapeAt(text, at, code);
}
