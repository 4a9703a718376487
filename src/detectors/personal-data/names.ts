import type { RuleMatch, TextRule } from "../detector.js";
import type { Finding } from "../finding.js";
import { optionError } from "../option-values.js";

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

/**
 * Returns the names in a text by a recogniser that may be a service or a model. A range outside of the text is not a finding.
 *
 * @throws ConfigError if the recogniser is not a function
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

function wantedNames(text: string, names: readonly NameMatch[], isWanted: (type: string) => boolean): NameMatch[] {
  const isOffset = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && value <= text.length;
  return names.filter(({ type, start, end }) => isWanted(type) && isOffset(start) && isOffset(end) && start < end);
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
