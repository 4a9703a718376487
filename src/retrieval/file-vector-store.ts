import type { VectorStore } from "./cache.js";

/** How file names are made from keys. */
export type KeyDigest = "sha256" | "md5";

/**
 * Keeps vectors in a folder, one file for each text. A file that cannot be read or written is a vector that is not kept;
 * `onError` is told.
 *
 * @example
 * ```ts
 * const store = await openFileVectorStore(".cache/embeddings");
 * const cached = cacheEmbeddings(embeddings, { engine: "openai", model: "text-embedding-3-small", store });
 * ```
 */
export async function openFileVectorStore(
  folder: string,
  digest: KeyDigest = "sha256",
  onError: (error: unknown) => void = () => {},
): Promise<VectorStore> {
  const [fs, path, crypto] = await Promise.all([import("node:fs"), import("node:path"), import("node:crypto")]);
  const fileOf = (key: string): string => {
    return path.join(folder, `${crypto.createHash(digest).update(key).digest("hex")}.vector`);
  };
  return {
    get: (key) => {
      try {
        return fs.existsSync(fileOf(key)) ? readVector(fs.readFileSync(fileOf(key))) : undefined;
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    set: (key, vector) => {
      // Another process may read at any time: it finds the whole file or none.
      const unfinished = `${fileOf(key)}.${crypto.randomUUID()}`;
      try {
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(unfinished, new Uint8Array(Float64Array.from(vector).buffer));
        fs.renameSync(unfinished, fileOf(key));
      } catch (error) {
        onError(error);
        if (fs.existsSync(unfinished)) fs.rmSync(unfinished);
      }
    },
  };
}

function readVector(bytes: Uint8Array): readonly number[] | undefined {
  if (bytes.length === 0 || bytes.length % 8 !== 0) return undefined;
  // What a file holds may lie anywhere in a larger buffer.
  const vector = Array.from(new Float64Array(Uint8Array.from(bytes).buffer));
  return vector.every(Number.isFinite) ? vector : undefined;
}
