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
