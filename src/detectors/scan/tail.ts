import type { TriggerRule } from "../detector.js";
import { DEFAULT_REACH, distanceBefore } from "./rule-set.js";

/** Characters that end the run in which a finding of a rule stands. */
type RunKind = NonNullable<TriggerRule["within"]>;

/** End of a text that is going to continue: decides which triggers cannot be affected by the text to come. */
export class Tail {
  readonly #text: string;
  /** Offsets of the last characters that end a run, by its kind. */
  readonly #breaks = new Map<RunKind, number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns true if the text to come cannot change the match of a rule at a trigger. */
  isClosed(rule: TriggerRule, start: number, end: number): boolean {
    if (start + (rule.reach ?? DEFAULT_REACH) <= this.#text.length) return true;
    return rule.within !== undefined && this.#lastBreak(rule.within) >= end;
  }

  /** Returns the offset at which a finding begins at the earliest whose trigger begins at an offset. */
  earliest(rule: TriggerRule, trigger: number): number {
    const start = Math.max(0, trigger - distanceBefore(rule));
    const end = rule.within === undefined ? -1 : this.#lastBreak(rule.within);
    return end < trigger ? Math.max(start, end + 1) : start;
  }

  /** Returns the offset at which a finding begins at the earliest whose trigger is not complete. */
  earliestUnseen(rule: TriggerRule, trigger: number): number {
    const start = Math.max(0, trigger - distanceBefore(rule));
    return rule.within === undefined ? start : Math.max(start, this.#lastBreak(rule.within) + 1);
  }

  #lastBreak(kind: RunKind): number {
    const known = this.#breaks.get(kind);
    if (known !== undefined) return known;
    let at = this.#text.length - 1;
    while (at >= 0 && !endsRun(kind, this.#text.charCodeAt(at))) at--;
    this.#breaks.set(kind, at);
    return at;
  }
}

function endsRun(kind: RunKind, code: number): boolean {
  const isLineBreak = code === 0x0a || code === 0x0d;
  if (kind === "line") return isLineBreak;
  const isBlank = isLineBreak || code === 0x20 || code === 0x09;
  if (kind === "word") return isBlank;
  // Digits, and blanks and signs that separate them; other characters beyond ASCII may be such signs.
  return !(code >= 0x80 || isBlank || (code >= 0x28 && code <= 0x3a) || code === 0x5b || code === 0x5d);
}
