import { mkdtemp, readdir, rename, rm, symlink, writeFile, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { cacheEmbeddings } from "../../src/retrieval/cache.js";
import { openVectorFolder } from "../../src/retrieval/vector-folder.js";
import { fixedEmbeddings, VECTORS } from "./index-contract.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vectors-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const files = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".vector"));

describe("a folder of vectors", () => {
  it.each(["sha256", "md5"] as const)("gives back what the last process put in, bit for bit (%s)", async (hash) => {
    const vector = [0.1, -1e-300, 12345.678, 0];
    await (await openVectorFolder(folder, hash)).set("key", vector);
    const again = await openVectorFolder(folder, hash);
    expect([await again.get("key"), await again.get("other")]).toEqual([vector, undefined]);
    expect(await files()).toHaveLength(1);
  });

  it("follows no link out of it, neither to read nor to write", async () => {
    const outside = await mkdtemp(join(tmpdir(), "outside-"));
    const store = await openVectorFolder(folder);
    await store.set("key", [1, 2]);
    const [file = ""] = await files();
    const prefix = join(folder, dirname(file));
    await rename(prefix, join(outside, "moved"));
    await symlink(join(outside, "moved"), prefix);
    expect(await store.get("key")).toBeUndefined();
    await rm(join(outside, "moved", basename(file)));
    await store.set("key", [3, 4]);
    expect(await readdir(join(outside, "moved"))).toEqual([]);
    await rm(outside, { recursive: true });
  });

  it("spares embeddings across processes, and keeps models apart", async () => {
    const embed = async (model: string): Promise<readonly string[][]> => {
      const embeddings = fixedEmbeddings(VECTORS);
      const cached = cacheEmbeddings(embeddings, { engine: "e", model, store: await openVectorFolder(folder) });
      expect(await cached.embedDocuments(["east", "north"])).toEqual([VECTORS.east, VECTORS.north]);
      return embeddings.calls;
    };
    expect([await embed("m"), await embed("m"), await embed("n")]).toEqual([
      [["east", "north"]],
      [],
      [["east", "north"]],
    ]);
  });

  it.each([
    ["nothing", new Uint8Array()],
    ["half a number", new Uint8Array(12)],
    ["no numbers", new Uint8Array(16).fill(255)],
    ["numbers of an older format", new Uint8Array(16)],
  ])("takes a file with %s for a missing one", async (_title, content) => {
    const store = await openVectorFolder(folder);
    await store.set("key", [1, 2]);
    await writeFile(join(folder, (await files())[0] ?? ""), content);
    expect(await store.get("key")).toBeUndefined();
    await store.set("key", [3]);
    expect(await store.get("key")).toEqual([3]);
  });

  it("takes a file that was changed, or stands under another's name, for a missing one", async () => {
    const store = await openVectorFolder(folder, "md5");
    await store.set("one", [1, 2]);
    const [first = ""] = await files();
    const content = await readFile(join(folder, first));
    await store.set("two", [3, 4]);
    const second = (await files()).find((name) => name !== first) ?? "";
    await writeFile(join(folder, second), content);
    expect(await store.get("two")).toBeUndefined();
    content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
    await writeFile(join(folder, first), content);
    expect(await store.get("one")).toBeUndefined();
  });

  it("many at once leave nothing half written", async () => {
    const store = await openVectorFolder(folder);
    await Promise.all(Array.from({ length: 100 }, (_, at) => store.set(`key ${at % 10}`, [at % 10, 1])));
    expect(await Promise.all([0, 9].map((at) => store.get(`key ${at}`)))).toEqual([
      [0, 1],
      [9, 1],
    ]);
    expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".draft"))).toEqual([]);
  });

  it("says so when it cannot be made", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(openVectorFolder(join(folder, "file", "below"))).rejects.toThrow(/ENOTDIR|EEXIST/);
  });

  it("costs an answer nothing when it cannot be written", async () => {
    const store = await openVectorFolder(join(folder, "gone"));
    await rm(join(folder, "gone"), { recursive: true });
    await writeFile(join(folder, "gone"), "");
    await store.set("key", [1]);
    expect(await store.get("key")).toBeUndefined();
  });
});
