import pLimit from "p-limit";
import type { VectorCache } from "./cache.js";

const SIGNATURE_BYTES = 32;
const BYTES = Float64Array.BYTES_PER_ELEMENT;
/** Maximum number of open files. */
const MAX_OPEN = 32;

/**
 * Caches vectors in a folder on disk, one file each, named by the hash of its key. The folder may be shared: files
 * appear only when complete, and one that is damaged or has another key counts as missing. Links are not followed for
 * reading or writing.
 *
 * @throws Error if the folder cannot be created, or the platform has no file system
 *
 * @example
 * ```ts
 * const store = await openVectorFolder(".cache/embeddings");
 * const cached = cacheEmbeddings(embeddings, { engine: "openai", model: "text-embedding-3-small", store });
 * ```
 */
export async function openVectorFolder(folder: string, hash: "sha256" | "md5" = "sha256"): Promise<VectorCache> {
  const [fs, path, { createHash }] = await Promise.all([
    import("node:fs/promises"),
    import("node:path"),
    import("node:crypto"),
  ]);
  await fs.mkdir(folder, { recursive: true });
  const root = await fs.realpath(folder);
  const limit = pLimit(MAX_OPEN);
  const fileOf = (key: string): string => {
    const name = createHash(hash).update(key).digest("hex");
    return path.join(folder, name.slice(0, 2), `${name}.vector`);
  };
  /** INVARIANT: no link leads a read or a write out of the folder. */
  const isOwn = async (file: string): Promise<boolean> => {
    const expected = path.join(root, path.relative(folder, file));
    return (await fs.realpath(file).catch(() => undefined)) === expected;
  };
  /** Hashes a vector together with its key, which precedes it in the file. */
  const sign = (key: string, bytes: Uint8Array): Uint8Array =>
    createHash("sha256").update(key).update("\n").update(bytes).digest();
  const read = async (key: string): Promise<readonly number[] | undefined> => {
    if (!(await isOwn(fileOf(key)))) return undefined;
    const content = await fs.readFile(fileOf(key)).catch(() => new Uint8Array(0));
    const bytes = content.subarray(SIGNATURE_BYTES);
    const isWhole = bytes.length > 0 && bytes.length % BYTES === 0;
    if (!isWhole || !sign(key, bytes).every((byte, at) => byte === content[at])) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const vector = Array.from({ length: bytes.length / BYTES }, (_, at) => view.getFloat64(at * BYTES, true));
    return vector.every(Number.isFinite) ? vector : undefined;
  };
  /** INVARIANT: a full disk costs the next process an embedding, but never fails this one. */
  const write = async (key: string, vector: readonly number[]): Promise<void> => {
    const file = fileOf(key);
    const bytes = new Uint8Array(vector.length * BYTES);
    const view = new DataView(bytes.buffer);
    for (const [at, value] of vector.entries()) view.setFloat64(at * BYTES, value, true);
    const draft = `${file}.${globalThis.crypto.randomUUID()}.draft`;
    try {
      await fs.mkdir(path.dirname(file), { recursive: true });
      if (!(await isOwn(path.dirname(file)))) return;
      await fs.writeFile(draft, [sign(key, bytes), bytes]);
      await fs.rename(draft, file);
    } catch {
      await fs.rm(draft, { force: true }).catch(() => undefined);
    }
  };
  return { get: (key) => limit(read, key), set: (key, vector) => limit(write, key, vector) };
}
