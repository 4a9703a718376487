import type * as NodeFiles from "node:fs/promises";
import type * as NodePath from "node:path";
import pLimit from "p-limit";
import type { VectorCache } from "./cache.js";

/** How names of files are made from keys. */
export type KeyHash = "sha256" | "md5";

const BYTES = Float64Array.BYTES_PER_ELEMENT;
/** Files open at once. */
const MAX_OPEN = 32;

/**
 * Vectors in a folder on disk, one file each, named by the hash of its key. The folder may be shared: a file appears
 * under its name only when it is whole, and one that is damaged counts as missing.
 *
 * @throws Error when the folder cannot be made, or where the platform has no files
 *
 * @example
 * ```ts
 * const store = await openVectorFolder(".cache/embeddings");
 * const cached = cacheEmbeddings(embeddings, { engine: "openai", model: "text-embedding-3-small", store });
 * ```
 */
export async function openVectorFolder(folder: string, hash: KeyHash = "sha256"): Promise<VectorCache> {
  const [fs, path, { createHash }] = await Promise.all([
    import("node:fs/promises"),
    import("node:path"),
    import("node:crypto"),
  ]);
  await fs.mkdir(folder, { recursive: true });
  const limit = pLimit(MAX_OPEN);
  const fileOf = (key: string): string => {
    const name = createHash(hash).update(key).digest("hex");
    return path.join(folder, name.slice(0, 2), `${name}.vector`);
  };
  return {
    get: (key) => limit(() => readVector(fs, fileOf(key))),
    set: (key, vector) => limit(() => writeVector({ fs, path }, fileOf(key), vector)),
  };
}

async function readVector(fs: typeof NodeFiles, file: string): Promise<readonly number[] | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await fs.readFile(file);
  } catch {
    return undefined;
  }
  if (bytes.length === 0 || bytes.length % BYTES !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const vector = Array.from({ length: bytes.length / BYTES }, (_, at) => view.getFloat64(at * BYTES, true));
  return vector.every(Number.isFinite) ? vector : undefined;
}

/** INVARIANT: a disk that is full costs the next process an embedding, and never this one its answer. */
async function writeVector(
  { fs, path }: { readonly fs: typeof NodeFiles; readonly path: typeof NodePath },
  file: string,
  vector: readonly number[],
): Promise<void> {
  const bytes = new DataView(new ArrayBuffer(vector.length * BYTES));
  for (const [at, value] of vector.entries()) bytes.setFloat64(at * BYTES, value, true);
  const draft = `${file}.${globalThis.crypto.randomUUID()}.draft`;
  try {
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(draft, new Uint8Array(bytes.buffer));
    await fs.rename(draft, file);
  } catch {
    await fs.rm(draft, { force: true }).catch(() => undefined);
  }
}
