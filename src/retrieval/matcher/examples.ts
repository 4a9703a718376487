import { LimitError } from "../../diagnostics/errors.js";
import type { BuildJob } from "./build-job.js";
import type { DenseRows } from "./hybrid/hybrid-model.js";
import { matcherKey, type MatcherCache } from "./matcher-cache.js";
import { hashUnits, MAX_TEXT } from "./words.js";

/** An utterance and its intent. */
export interface IntentExample {
  readonly text: string;
  readonly intent: string;
}

const MAX_EXAMPLES = 100_000;
const MAX_CHARACTERS = 5_000_000;

/** @throws LimitError if there are too many examples, or too long ones */
export function checkSize(examples: readonly IntentExample[]): void {
  const characters = examples.reduce((sum, { text }) => sum + Math.min(text.length, MAX_TEXT), 0);
  const limits = [
    { what: "examples", found: examples.length, limit: "matcher_examples", maximum: MAX_EXAMPLES },
    { what: "characters of examples", found: characters, limit: "matcher_characters", maximum: MAX_CHARACTERS },
  ];
  for (const { what, found, limit, maximum } of limits) {
    if (found <= maximum) continue;
    throw new LimitError(`expected at most ${maximum} ${what}, got ${found}`, { limit, maximum });
  }
}

/** Examples without duplicates, as a learning job. */
export interface Examples {
  readonly job: BuildJob;
  readonly intents: readonly string[];
  /** Cache key; undefined without a cache. */
  readonly key: string | undefined;
}

interface ExamplesInput {
  readonly examples: readonly IntentExample[];
  readonly cache?: MatcherCache | undefined;
}

/** Removes duplicate examples. */
export function readExamples({ examples, cache }: ExamplesInput): Examples {
  const textsOf = new Map<string, Set<string>>();
  const distinct = examples.filter(({ text, intent }) => {
    const known = textsOf.get(intent);
    if (known?.has(text) === true) return false;
    if (known === undefined) textsOf.set(intent, new Set([text]));
    else known.add(text);
    return true;
  });
  const intents = [...textsOf.keys()];
  const labelOf = new Map(intents.map((intent, label) => [intent, label]));
  const all: readonly IntentExample[] = [...distinct, ...intents.map((intent) => ({ text: intent, intent }))];
  const texts = all.map(({ text }) => text);
  const classOf = Int32Array.from(all, ({ intent }) => labelOf.get(intent) as number);
  const data = { texts, classOf, classes: intents.length, examples: distinct.length };
  const key = cache && matcherKey(data);
  return {
    job: { ...data, isKept: key !== undefined, known: key === undefined ? undefined : cache?.read(key) },
    intents,
    key,
  };
}

/** Incremented whenever the same examples and vectors would be learnt differently. */
const HYBRID_VERSION = 2;

/** Cache key of what examples and their vectors teach together. */
export function hybridKey(job: BuildJob, { values, dimensions }: DenseRows): string {
  const units = new Uint16Array(values.buffer, values.byteOffset, values.byteLength / Uint16Array.BYTES_PER_ELEMENT);
  const digest = [1, 2, 3, 4].map((seed) => hashUnits(units, 0, units.length, seed)).join(" ");
  return matcherKey({ ...job, texts: [...job.texts, `${HYBRID_VERSION} ${dimensions} ${digest}`] });
}
