import type { EmbeddingsInterface } from "@langchain/core/embeddings";

/** Length of every vector this embedder makes. */
export const NGRAM_DIMENSIONS = 1024;

const MASK = NGRAM_DIMENSIONS - 1;
const MAX_TEXT = 20_000;
const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
const WORD_WEIGHT = 1;
const PAIR_WEIGHT = 0.5;
const GRAM_WEIGHT = 0.35;
const COMMON_WEIGHT = 0.25;

/** Words that say little about what a sentence is about. */
const COMMON: ReadonlySet<string> = new Set(
  (
    "a an the is are am was were be been do does did i you he she it we they me my your our their this that these those of to in " +
    "on at for with and or but so as by from can could would will shall should may might must have has had what which who"
  ).split(" "),
);

/**
 * A text as a unit vector, from its words, pairs of neighbouring words and the three- and four-letter pieces of each
 * word. No model, no state: the same text gives the same vector everywhere. An empty text gives the zero vector.
 *
 * @example
 * ```ts
 * const vector = embedText("How do I open an account?");
 * ```
 */
export function embedText(text: string): Float32Array {
  const vector = new Float32Array(NGRAM_DIMENSIONS);
  const words = text.slice(0, MAX_TEXT).normalize("NFKC").toLowerCase().match(WORD) ?? [];
  let previous: string | undefined;
  for (const word of words) {
    const weight = COMMON.has(word) ? COMMON_WEIGHT : WORD_WEIGHT;
    add(vector, hash(word, 0x811c9dc5), weight);
    if (previous !== undefined) add(vector, hash(word, hash(previous, 0x2545f491)), PAIR_WEIGHT * weight);
    if (weight === WORD_WEIGHT) addGrams(vector, `^${word}$`);
    previous = word;
  }
  return normalize(vector);
}

function addGrams(vector: Float32Array, word: string): void {
  for (let size = 3; size <= 4; size += 1) {
    for (let at = 0; at + size <= word.length; at += 1) {
      add(vector, hash(word.slice(at, at + size), 0x9e3779b9 + size), GRAM_WEIGHT);
    }
  }
}

/** One bit of the hash decides the sign, so that collisions cancel out on average. */
function add(vector: Float32Array, code: number, weight: number): void {
  const place = code & MASK;
  vector[place] = (vector[place] as number) + (code >>> 31 === 0 ? weight : -weight);
}

/** FNV-1a over the UTF-16 units, with a finish that spreads the last characters over all bits. */
function hash(text: string, seed: number): number {
  let code = seed | 0;
  for (let at = 0; at < text.length; at += 1) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  code = Math.imul(code ^ (code >>> 16), 0x85ebca6b);
  code = Math.imul(code ^ (code >>> 13), 0xc2b2ae35);
  return (code ^ (code >>> 16)) >>> 0;
}

function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return vector;
  const length = Math.sqrt(sum);
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] as number) / length;
  return vector;
}

/**
 * The embedder in the shape LangChain expects, for vector stores and retrievers.
 *
 * @example
 * ```ts
 * const store = new MemoryVectorStore(ngramEmbeddings);
 * ```
 */
export const ngramEmbeddings: EmbeddingsInterface = {
  embedQuery: (text) => Promise.resolve(Array.from(embedText(text))),
  embedDocuments: (texts) => Promise.resolve(texts.map((text) => Array.from(embedText(text)))),
};
