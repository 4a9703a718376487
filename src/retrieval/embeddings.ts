import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { GuardrailsError, ModelError } from "../diagnostics/errors.js";

const MAX_REASON_LENGTH = 500;

/**
 * Checks embeddings: failures become one kind of error, and there is one vector per text, all of equal length and with
 * finite numbers.
 *
 * @throws ModelError if the embeddings fail (their error is the `cause`) or return anything else
 *
 * @example
 * ```ts
 * const checked = checkEmbeddings(new OpenAIEmbeddings());
 * ```
 */
export function checkEmbeddings(embeddings: EmbeddingsInterface): EmbeddingsInterface {
  return {
    embedQuery: async (text) => {
      const vector = await embed(() => embeddings.embedQuery(text));
      checkVectors([vector], 1);
      return vector;
    },
    embedDocuments: async (texts) => {
      const vectors = await embed(() => embeddings.embedDocuments(texts));
      checkVectors(vectors, texts.length);
      return vectors;
    },
  };
}

/** @throws ModelError unless there is one vector per text, and all are non-empty and of equal length */
export function checkVectors(vectors: unknown, count: number, dimensions?: number): void {
  if (!Array.isArray(vectors))
    throw new ModelError("expected the embeddings to return an array of vectors, got another value");
  if (vectors.length !== count) {
    throw new ModelError(`expected ${count} vectors from the embeddings, got ${vectors.length}`);
  }
  let expected = dimensions;
  for (const vector of vectors as readonly unknown[]) {
    if (!isList(vector)) throw new ModelError("expected the embeddings to return arrays of numbers, got another value");
    if (vector.length === 0) throw new ModelError("expected vectors from the embeddings, got an empty one");
    expected ??= vector.length;
    if (vector.length !== expected) {
      throw new ModelError(`expected vectors of ${expected} dimensions, got one of ${vector.length}`);
    }
    // A hole in the array is not a number either, but `every` would skip it.
    for (let at = 0; at < vector.length; at += 1) {
      if (Number.isFinite(vector[at])) continue;
      throw new ModelError("expected vectors of finite numbers, got another value");
    }
  }
}

/** Scales a vector to length one; a zero vector is unchanged. */
export function toUnit(vector: ArrayLike<number>): number[] {
  // Values far from 1 would overflow or underflow in the sum of squares.
  let greatest = 0;
  for (let at = 0; at < vector.length; at += 1) greatest = Math.max(greatest, Math.abs(vector[at] as number));
  if (greatest === 0) return Array.from(vector);
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += ((vector[at] as number) / greatest) ** 2;
  const length = Math.sqrt(sum);
  return Array.from(vector, (value) => value / greatest / length);
}

/** Returns true for an error of `checkVectors`, for which a retry is useless; false for a failed call. */
export function isVectorProblem(error: unknown): boolean {
  return ModelError.isInstance(error) && error.cause === undefined;
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
}

async function embed<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (GuardrailsError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const shown = reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason;
    throw new ModelError(`the embeddings failed: ${shown}`, { cause: error });
  }
}

/** Texts per call. */
const BATCH = 128;
/** Maximum number of concurrent calls. */
const CONCURRENCY = 4;

/**
 * Embeds many texts as documents, in batches with limited concurrency. Returns all vectors in order, or rejects with
 * the first batch that fails.
 *
 * @example
 * ```ts
 * const vectors = await embedTexts(embeddings, texts);
 * ```
 */
export async function embedTexts(embeddings: EmbeddingsInterface, texts: readonly string[]): Promise<number[][]> {
  const { default: pLimit } = await import("p-limit");
  const limit = pLimit(CONCURRENCY);
  const embedFrom = async (at: number): Promise<number[][]> => {
    try {
      return await embeddings.embedDocuments(texts.slice(at, at + BATCH));
    } catch (error) {
      // The others must not start further calls for lost work.
      limit.clearQueue();
      throw error;
    }
  };
  const calls: Promise<number[][]>[] = [];
  for (let at = 0; at < texts.length; at += BATCH) calls.push(limit(embedFrom, at));
  return (await Promise.all(calls)).flat();
}

/** Calls back after a time; returns a function that cancels it. */
export type StartTimer = (milliseconds: number, run: () => void) => () => void;

interface BatchEmbeddingsOptions {
  /** Maximum number of queries per batch. Default: 10. */
  readonly maxBatchSize?: number | undefined;
  /** Maximum time that a query waits for others, in milliseconds. Default: 10. */
  readonly maxBatchHold?: number | undefined;
  readonly startTimer?: StartTimer | undefined;
}

interface Waiter {
  readonly text: string;
  readonly resolve: (vector: number[]) => void;
  readonly reject: (error: unknown) => void;
}

export const startPlatformTimer: StartTimer = (milliseconds, run) => {
  const handle = setTimeout(run, milliseconds);
  return () => clearTimeout(handle);
};

/**
 * Batches queries (`use_batching`), for models that treat queries and documents alike, since a batch is embedded as
 * documents. A batch runs when it is full or its first query has waited long enough; batches do not wait for each
 * other.
 *
 * INVARIANT: every query of a batch is settled; a failing batch rejects exactly its own queries.
 *
 * @example
 * ```ts
 * const batched = batchEmbeddings(embeddings, { maxBatchSize: 32, maxBatchHold: 5 });
 * const [a, b] = await Promise.all([batched.embedQuery("one"), batched.embedQuery("two")]); // one call
 * ```
 */
export function batchEmbeddings(
  embeddings: EmbeddingsInterface,
  { maxBatchSize = 10, maxBatchHold = 10, startTimer = startPlatformTimer }: BatchEmbeddingsOptions = {},
): EmbeddingsInterface {
  let waiting: Waiter[] = [];
  let stopTimer: (() => void) | undefined;
  const flush = async (): Promise<void> => {
    stopTimer?.();
    stopTimer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      const vectors = await embeddings.embedDocuments(batch.map(({ text }) => text));
      if (vectors.length !== batch.length) {
        throw new RangeError(`expected ${batch.length} results from a batch, got ${vectors.length}`);
      }
      for (const [index, { resolve }] of batch.entries()) resolve(vectors[index] as number[]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return {
    embedQuery: (text) =>
      new Promise((resolve, reject) => {
        waiting.push({ text, resolve, reject });
        if (waiting.length >= maxBatchSize) void flush();
        else stopTimer ??= startTimer(maxBatchHold, () => void flush());
      }),
    embedDocuments: (texts) => embeddings.embedDocuments(texts),
  };
}
