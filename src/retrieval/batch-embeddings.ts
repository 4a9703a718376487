import type { EmbeddingsInterface } from "@langchain/core/embeddings";

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
