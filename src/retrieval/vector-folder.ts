import type * as NodeFiles from "node:fs/promises";
import type * as NodePath from "node:path";
import pLimit from "p-limit";
import type { VectorCache } from "./cache.js";

/** How names of files are made from keys. */
export type KeyHash = "sha256" | "md5";

/** The hash of a vector together with its key, which stands before it in its file. */
type Sign = (bytes: Uint8Array) => Uint8Array;

const SIGNATURE_BYTES = 32;
const BYTES = Float64Array.BYTES_PER_ELEMENT;
/** Files open at once. */
const MAX_OPEN = 32;

/**
 * Vectors in a folder on disk, one file each, named by the hash of its key. The folder may be shared: a file appears
 * under its name only when it is whole, and one that is damaged, or holds the vector of another key, counts as missing. Links
 * in the folder are not followed: what they lead to counts as missing, and nothing is written through them.
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
  const root = await fs.realpath(folder);
  /** INVARIANT: no link leads a read or a write out of the folder. */
  const isOwn = async (file: string): Promise<boolean> => {
    const expected = path.join(root, path.relative(folder, file));
    return (await fs.realpath(file).catch(() => undefined)) === expected;
  };
  const signer = (key: string): Sign => {
    return (bytes) => createHash("sha256").update(key).update("\n").update(bytes).digest();
  };
  return {
    get: (key) =>
      limit(async () => ((await isOwn(fileOf(key))) ? readVector(fs, fileOf(key), signer(key)) : undefined)),
    set: (key, vector) => limit(() => writeVector({ fs, path, isOwn }, fileOf(key), vector, signer(key))),
  };
}

async function readVector(fs: typeof NodeFiles, file: string, sign: Sign): Promise<readonly number[] | undefined> {
  let content: Uint8Array;
  try {
    content = await fs.readFile(file);
  } catch {
    return undefined;
  }
  const bytes = content.subarray(SIGNATURE_BYTES);
  if (bytes.length === 0 || bytes.length % BYTES !== 0) return undefined;
  if (!isSame(content.subarray(0, SIGNATURE_BYTES), sign(bytes))) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const vector = Array.from({ length: bytes.length / BYTES }, (_, at) => view.getFloat64(at * BYTES, true));
  return vector.every(Number.isFinite) ? vector : undefined;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

interface WriterParts {
  readonly fs: typeof NodeFiles;
  readonly path: typeof NodePath;
  readonly isOwn: (file: string) => Promise<boolean>;
}

/** INVARIANT: a disk that is full costs the next process an embedding and never fails this one. */
async function writeVector(
  { fs, path, isOwn }: WriterParts,
  file: string,
  vector: readonly number[],
  sign: Sign,
): Promise<void> {
  const content = new Uint8Array(SIGNATURE_BYTES + vector.length * BYTES);
  const bytes = content.subarray(SIGNATURE_BYTES);
  const view = new DataView(content.buffer, SIGNATURE_BYTES);
  for (const [at, value] of vector.entries()) view.setFloat64(at * BYTES, value, true);
  content.set(sign(bytes));
  const draft = `${file}.${globalThis.crypto.randomUUID()}.draft`;
  try {
    await fs.mkdir(path.dirname(file), { recursive: true });
    if (!(await isOwn(path.dirname(file)))) return;
    await fs.writeFile(draft, content);
    await fs.rename(draft, file);
  } catch {
    await fs.rm(draft, { force: true }).catch(() => undefined);
  }
}
