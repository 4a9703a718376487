import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { GuardrailsError, ModelError } from "../diagnostics/errors.js";

const MAX_REASON_LENGTH = 500;

/**
 * Embeddings that fail in one way, and whose vectors can be trusted: as many as there are texts, equally long, of finite
 * numbers.
 *
 * @throws ModelError when the embeddings fail (their error is the `cause`) or give something else
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

/**
 * @throws ModelError when there are not as many vectors as texts, or one is empty, of another length or not a vector
 */
export function checkVectors(vectors: unknown, count: number, dimensions?: number): void {
  if (!Array.isArray(vectors))
    throw new ModelError("expected the embeddings to return an array of vectors, got another value");
  if (vectors.length !== count) {
    throw new ModelError(`the embeddings gave ${vectors.length} vectors for ${count} texts`);
  }
  let expected = dimensions;
  for (const vector of vectors as readonly unknown[]) {
    if (!isList(vector)) throw new ModelError("expected the embeddings to return arrays of numbers, got another value");
    if (vector.length === 0) throw new ModelError("the embeddings gave an empty vector");
    expected ??= vector.length;
    if (vector.length !== expected) {
      throw new ModelError(`a vector of the embeddings has ${vector.length} dimensions, the others have ${expected}`);
    }
    // A hole in the array is not a number either, which `every` would pass over.
    for (let at = 0; at < vector.length; at += 1) {
      if (Number.isFinite(vector[at])) continue;
      throw new ModelError("a vector of the embeddings holds a value that is not a finite number");
    }
  }
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

interface EmbedOptions {
  /** Texts in one call; default: 128. */
  readonly batchSize?: number | undefined;
  /** Calls that run at once; default: 4. */
  readonly concurrency?: number | undefined;
}

const DEFAULT_BATCH = 128;

const DEFAULT_CONCURRENCY = 4;

/**
 * Embeds many texts as documents, in batches of which a few run at once; gives all vectors in order, or fails with the
 * first batch that does.
 *
 * @example
 * ```ts
 * const vectors = await embedTexts(embeddings, texts, { batchSize: 64 });
 * ```
 */
export async function embedTexts(
  embeddings: EmbeddingsInterface,
  texts: readonly string[],
  { batchSize = DEFAULT_BATCH, concurrency = DEFAULT_CONCURRENCY }: EmbedOptions = {},
): Promise<number[][]> {
  const batches: string[][] = [];
  for (let at = 0; at < texts.length; at += batchSize) batches.push(texts.slice(at, at + batchSize));
  const results: number[][][] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < batches.length) {
      const index = next;
      next += 1;
      try {
        results[index] = await embeddings.embedDocuments(batches[index] as string[]);
      } catch (error) {
        // The others must not start more calls for work that is lost.
        next = batches.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, batches.length) }, work));
  return results.flat();
}

interface BatchEmbeddingsOptions {
  /** default: 10. */
  readonly maxBatchSize?: number | undefined;
  /** Longest wait of a query for others, in milliseconds; default: 10. */
  readonly maxBatchHold?: number | undefined;
  readonly startTimer?: StartTimer | undefined;
}

const DEFAULT_SIZE = 10;

const DEFAULT_HOLD = 10;

/**
 * Embeddings whose queries travel together (`use_batching`). Fit for models that treat queries and documents alike,
 * because a batch of queries is embedded as documents.
 *
 * @example
 * ```ts
 * const batched = batchEmbeddings(embeddings, { maxBatchSize: 32, maxBatchHold: 5 });
 * ```
 */
export function batchEmbeddings(
  embeddings: EmbeddingsInterface,
  options: BatchEmbeddingsOptions = {},
): EmbeddingsInterface {
  const embedQuery = createBatcher<string, number[]>({
    run: (texts) => embeddings.embedDocuments([...texts]),
    maxBatchSize: options.maxBatchSize ?? DEFAULT_SIZE,
    maxBatchHold: options.maxBatchHold ?? DEFAULT_HOLD,
    startTimer: options.startTimer,
  });
  return { embedQuery, embedDocuments: (texts) => embeddings.embedDocuments(texts) };
}

/** Calls back after a time; returns a function that cancels it. Tests bring their own. */
export type StartTimer = (milliseconds: number, run: () => void) => () => void;

interface BatchOptions<Input, Output> {
  /** Does the work of many at once; must give one output for each input, in order. */
  readonly run: (inputs: readonly Input[]) => Promise<readonly Output[]>;
  readonly maxBatchSize: number;
  /** How long the first of a batch waits for others, in milliseconds. */
  readonly maxBatchHold: number;
  readonly startTimer?: StartTimer | undefined;
}

interface Waiter<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

const startPlatformTimer: StartTimer = (milliseconds, run) => {
  const handle = setTimeout(run, milliseconds);
  return () => clearTimeout(handle);
};

/**
 * Gathers single requests into batches. A batch runs when it is full or its first member has waited long enough; batches
 * do not wait for each other.
 *
 * INVARIANT: every member of a batch is resolved or rejected; a failing batch rejects exactly its own members.
 *
 * @example
 * ```ts
 * const embed = createBatcher({ run: (texts) => embeddings.embedDocuments([...texts]), maxBatchSize: 10, maxBatchHold: 10 });
 * const [a, b] = await Promise.all([embed("one"), embed("two")]); // one call
 * ```
 */
export function createBatcher<Input, Output>(options: BatchOptions<Input, Output>): (input: Input) => Promise<Output> {
  const { run, maxBatchSize, maxBatchHold, startTimer = startPlatformTimer } = options;
  let waiting: Waiter<Input, Output>[] = [];
  let stopTimer: (() => void) | undefined;

  const flush = (): void => {
    stopTimer?.();
    stopTimer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) void runBatch(batch);
  };

  const runBatch = async (batch: readonly Waiter<Input, Output>[]): Promise<void> => {
    try {
      const outputs = await run(batch.map(({ input }) => input));
      if (outputs.length !== batch.length) {
        throw new RangeError(`a batch of ${batch.length} gave ${outputs.length} results`);
      }
      for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as Output);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return (input) => {
    return new Promise<Output>((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (waiting.length >= Math.max(1, maxBatchSize)) flush();
      else stopTimer ??= startTimer(maxBatchHold, flush);
    });
  };
}
