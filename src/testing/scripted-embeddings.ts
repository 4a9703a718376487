import type { ServerRequest } from "./server-request.js";

/** Vectors of texts, in order; a null stands for a number that is none, as it does in JSON. */
export type ScriptedVectors = readonly (readonly (number | null)[])[];

/** One scripted answer to a request for embeddings. */
export interface EmbeddingReply {
  readonly vectors?: ScriptedVectors;
  readonly status?: number;
  readonly error?: Readonly<Record<string, unknown>>;
  /** The answer waits for this. */
  readonly gate?: Promise<unknown>;
}

/** Vectors of texts, or a function of all texts of a request. */
export type EmbeddingScript =
  | Readonly<Record<string, readonly number[]>>
  | ((texts: readonly string[], request: ServerRequest) => EmbeddingReply | Promise<EmbeddingReply>);

/** Answers a request for embeddings; texts that are not scripted are refused. */
export async function replyWithEmbeddings(
  script: EmbeddingScript | undefined,
  request: ServerRequest,
): Promise<EmbeddingReply> {
  const { input } = request.body;
  const texts = (Array.isArray(input) ? input : [input]).map(String);
  if (typeof script === "function") return script(texts, request);
  const vectors = texts.map((text) => (script !== undefined && Object.hasOwn(script, text) ? script[text] : undefined));
  const unknown = texts.find((_, index) => vectors[index] === undefined);
  if (unknown === undefined) return { vectors: vectors as ScriptedVectors };
  const message = `the embedding of ${JSON.stringify(unknown)} was not scripted`;
  return { status: 400, error: { message, type: "unscripted", code: "unscripted" } };
}

/** The body of the answer, in the encoding that the client asked for. */
export function embeddingsBody(vectors: ScriptedVectors, body: Readonly<Record<string, unknown>>): object {
  const isPacked = body["encoding_format"] === "base64";
  return {
    object: "list",
    model: body["model"] ?? "scripted",
    data: vectors.map((vector, index) => {
      return { object: "embedding", index, embedding: isPacked ? pack(vector) : vector };
    }),
    usage: { prompt_tokens: vectors.length, total_tokens: vectors.length },
  };
}

/** Little-endian numbers of 32 bits in Base64, as the protocol has them. */
function pack(vector: readonly (number | null)[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * Float32Array.BYTES_PER_ELEMENT));
  for (const [at, value] of vector.entries()) {
    view.setFloat32(at * Float32Array.BYTES_PER_ELEMENT, value ?? Number.NaN, true);
  }
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}
