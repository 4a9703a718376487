import type { TextLayer } from "./finding.js";

/** A text as rules read it: the original, or the original with a disguise removed. */
export interface TextView {
  readonly text: string;
  /** `text` in lower case; of the same length, so that offsets agree. */
  readonly folded: string;
  /** Disguises that were removed, outermost first; empty for the original. */
  readonly layers: readonly TextLayer[];
  /** Returns the range of the original that a range of this text came from. Decoded pieces are taken whole. */
  toOriginal(start: number, end: number): readonly [start: number, end: number];
  /** Returns the disguises that were removed in a range of this text, outermost first. */
  layersIn(start: number, end: number): readonly TextLayer[];
}

/** Match of a rule, with offsets in the view that was read. */
export interface RuleMatch {
  readonly start: number;
  readonly end: number;
  /** Certainty before context words raise it; default: `score` of the rule. */
  readonly score?: number;
  /** Type of the finding; default: `type` of the rule. */
  readonly type?: string;
}

interface RuleBase {
  /** Family of patterns that the rule stands for, in kebab case: `aws-access-key`. */
  readonly name: string;
  readonly type: string;
  /** Certainty of a match between 0 and 1. */
  readonly score: number;
  /** Words near a match that raise its score by 0.35, to at least 0.4 and at most 1, as Presidio's do. Lower case. */
  readonly context?: readonly string[];
  /**
   * Views that the rule reads: `original` is the text as it is; `plain` the text without invisible characters, decorating marks,
   * compatibility forms and confusables; `decoded` are this and what Base64, hexadecimal digits, `%` sequences, entities, escapes and
   * the like hold; `all` are `plain` and, where a text has such parts, views with decoded pieces, leetspeak,
   * spaced-out letters and simple ciphers undone; `written` are these, and the text without what its layout puts around or within
   * words: starts of lines, tags, capitals, doubled letters. Default: `all`.
   */
  readonly views?: "original" | "plain" | "decoded" | "all" | "written";
  /**
   * Longest distance in UTF-16 code units from the start of a finding, or of its trigger if that is before it, to the last
   * character that decides about it. A stream
   * holds back so much, unless `within` and `before` allow less. Default: 256; for a rule that reads a view as a whole, the
   * whole text, so that a stream with it releases nothing before its end.
   */
  readonly reach?: number;
}

/**
 * Rule that runs at each occurrence of one of its triggers in the folded text.
 *
 * INVARIANT: `find` reads at most a bounded number of characters on each side of the trigger, so that a scan is linear.
 */
export interface TriggerRule extends RuleBase {
  /** Lower-case literals; the rule runs at each occurrence, within words too. */
  readonly triggers?: readonly string[];
  /** The rule also runs at each run of at least so many ASCII digits. */
  readonly digits?: number;
  /**
   * Run of characters in which a finding stands with all that decides about it, but for context words and the character after
   * the run: a word (no blanks), digits (with blanks and the signs `()*+,-./:[]` that separate them) or a line. A stream
   * decides where the run ends. Default: any text.
   */
  readonly within?: "word" | "digits" | "line";
  /** Characters before its trigger at which a finding begins at the earliest; default: `reach`. */
  readonly before?: number;
  /**
   * Returns true if the text up to the end of the view decides about the match at a trigger, whatever follows. A stream asks where
   * less than `reach` has come; default: never.
   */
  isDecided?(view: TextView, start: number, end: number): boolean;
  /** Returns the match around the trigger that stands from `start` to `end`. */
  find(view: TextView, start: number, end: number): RuleMatch | undefined;
}

/** Rule that reads a view as a whole, in linear time, for example its length or its language. */
export interface TextRule extends RuleBase {
  scan(view: TextView): Iterable<RuleMatch>;
}

export type DetectorRule = TriggerRule | TextRule;

/**
 * Named set of rules over text. Detectors know no rail and no LangChain; a scanner runs the rules of many at once.
 *
 * @example
 * ```ts
 * const tickets: Detector = {
 *   name: "tickets",
 *   rules: [
 *     {
 *       name: "ticket-number",
 *       type: "TICKET",
 *       score: 1,
 *       triggers: ["tck-"],
 *       find: ({ folded }, start, end) => {
 *         const number = /^\d{6}\b/.exec(folded.slice(end, end + 7));
 *         return number === null ? undefined : { start, end: end + 6 };
 *       },
 *     },
 *   ],
 * };
 * detect("see TCK-123456", [tickets]); // [{ type: "TICKET", start: 4, end: 14, … }]
 * ```
 */
export interface Detector {
  readonly name: string;
  readonly rules: readonly DetectorRule[];
}
