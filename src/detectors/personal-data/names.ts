import { InputShapeError } from "../../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { RuleMatch, TextRule } from "../detector.js";
import type { Finding } from "../finding.js";
import { checkRange, optionError } from "../option-values.js";

/** Name that a recogniser found. */
export interface NameMatch {
  /** Entity by Presidio's name: `PERSON`, `LOCATION`, `ORGANIZATION`, `NRP` or another one. */
  readonly type: string;
  /** Offset of the first UTF-16 code unit. */
  readonly start: number;
  /** Offset after the last UTF-16 code unit. */
  readonly end: number;
  /** Certainty between 0 and 1; default: 0.85, as Presidio's models have. */
  readonly score?: number;
}

/** Finds names within this process, for example with `compromiseNames`. */
export type LocalNameRecognizer = (text: string) => readonly NameMatch[];

/** Finds names by a service or a model, for example a Presidio server. */
export type NameRecognizer = (text: string) => readonly NameMatch[] | Promise<readonly NameMatch[]>;

const DETECTOR = "personal-data";
const RULE = "name";
const CERTAINTY = 0.85;
/** Entities that need a recogniser of names: no pattern finds them. */
export const NAME_ENTITIES: readonly string[] = ["PERSON", "LOCATION", "ORGANIZATION", "NRP", "DATE_TIME", "AGE"];

/** Returns the rule that runs a recogniser of names over a text. */
export function nameRule(recognize: LocalNameRecognizer, isWanted: (type: string) => boolean): TextRule {
  return {
    name: RULE,
    type: "PERSON",
    score: CERTAINTY,
    views: "plain",
    scan: ({ text }): Iterable<RuleMatch> => wantedNames(text, recognize(text), isWanted),
  };
}

/** Options of `findNames`. */
export interface FindNamesOptions {
  /** Entities to keep; default: all that the recogniser finds. */
  readonly entities?: readonly string[];
  /** Least certainty of a finding, between 0 and 1; default: 0.5. */
  readonly threshold?: number;
}

const OPTIONS: OptionTable<FindNamesOptions> = { entities: "names", threshold: "number" };

/**
 * Returns the names in a text by a recogniser that may be a service or a model. A range outside of the text is not a finding.
 *
 * @throws ConfigError if the recogniser is not a function, or an option is not valid; InputShapeError if it returns no list
 * @example
 * ```ts
 * const recognize: NameRecognizer = async (text) => [{ type: "PERSON", start: 0, end: 3 }];
 * await findNames("Ada writes", recognize); // [{ type: "PERSON", start: 0, end: 3, score: 0.85, … }]
 * ```
 */
export function findNames(
  text: string,
  recognize: NameRecognizer,
  options: FindNamesOptions = {},
): Promise<readonly Finding[]> {
  if (typeof recognize !== "function")
    throw optionError({ surface: "findNames", option: "recognize" }, "expected a function");
  checkOptions("findNames", options, OPTIONS);
  checkRange({ surface: "findNames", option: "threshold" }, options.threshold, 0, 1);
  return readNames(text, recognize, options);
}

async function readNames(
  text: string,
  recognize: NameRecognizer,
  { entities, threshold = 0.5 }: FindNamesOptions,
): Promise<readonly Finding[]> {
  const names = wantedNames(text, await recognize(text), (type) => entities?.includes(type) ?? true);
  return names
    .map(({ type, start, end, score = CERTAINTY }) => ({ type, start, end, score, detector: DETECTOR, rule: RULE }))
    .filter(({ score }) => score >= threshold);
}

/** @throws InputShapeError for what is not a list of names */
function wantedNames(text: string, names: unknown, isWanted: (type: string) => boolean): NameMatch[] {
  if (!Array.isArray(names)) {
    const isPromise = names instanceof Promise;
    // An unused promise must not end the process.
    if (isPromise) names.catch(() => undefined);
    const found = isPromise ? "a promise; pass an async recogniser to `findNames`" : typeof names;
    throw new InputShapeError(`expected a list of names from the recogniser, got ${found}`);
  }
  const isOffset = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && value <= text.length;
  return names
    .filter(isNameMatch)
    .filter(({ type, start, end }) => isWanted(type) && isOffset(start) && isOffset(end) && start < end);
}

/** @throws InputShapeError for a name without a type and a range */
function isNameMatch(name: unknown): name is NameMatch {
  const { type, start, end } = (name ?? {}) as Partial<Record<keyof NameMatch, unknown>>;
  if (typeof type === "string" && typeof start === "number" && typeof end === "number") return true;
  throw new InputShapeError("expected names as `{ type, start, end }` from the recogniser");
}

/** Part of the library `compromise` that `compromiseNames` needs. */
export type CompromiseLibrary = (
  text: string,
) => Readonly<Record<"people" | "places" | "organizations", () => { json(options: { offset: true }): unknown }>>;

/**
 * Returns a recogniser of English names by the library `compromise`, which the application installs: `npm install compromise`.
 * It is fast and small, and misses more names than a model.
 *
 * @example
 * ```ts
 * import nlp from "compromise";
 *
 * const detector = personalData({ names: compromiseNames(nlp) });
 * detect("Ada Lovelace lives in Paris", [detector]).map(({ type }) => type); // ["PERSON", "LOCATION"]
 * ```
 */
export function compromiseNames(nlp: CompromiseLibrary): LocalNameRecognizer {
  return (text) => {
    const document = nlp(text);
    return [
      ...rangesOf(text, "PERSON", document.people().json({ offset: true })),
      ...rangesOf(text, "LOCATION", document.places().json({ offset: true })),
      ...rangesOf(text, "ORGANIZATION", document.organizations().json({ offset: true })),
    ];
  };
}

function rangesOf(text: string, type: string, phrases: unknown): NameMatch[] {
  if (!Array.isArray(phrases)) return [];
  return phrases.flatMap(
    (phrase: { readonly offset?: { readonly start?: unknown; readonly length?: unknown } } | null) => {
      const { start, length } = phrase?.offset ?? {};
      if (typeof start !== "number" || typeof length !== "number") return [];
      // The library counts the punctuation after a name as part of it.
      const name = text.slice(start, start + length).replace(/[\s.,;:!?)"'’]+$/u, "");
      return [{ type, start, end: start + name.length, score: 0.6 }];
    },
  );
}
