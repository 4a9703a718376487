import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import { watchFiles } from "../../src/cli/watch.js";

const folder = mkdtempSync(join(tmpdir(), "watch-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Watches a path, and makes changes until each of them is seen. */
async function seeing(path: string, changes: readonly (() => void)[]): Promise<number> {
  const end = new AbortController();
  let onSeen = (): void => undefined;
  const watching = watchFiles(path, end.signal, async () => onSeen());
  let seen = 0;
  for (const change of changes) {
    await new Promise<void>((resolve) => {
      // A change before its folder is watched is not seen.
      const changing = setInterval(change, 400);
      onSeen = () => {
        clearInterval(changing);
        resolve();
      };
    });
    seen += 1;
  }
  end.abort();
  await watching;
  return seen;
}

describe("watched files", () => {
  it("are noticed after an editor has replaced a file, and in new folders", async () => {
    const path = join(folder, "config");
    mkdirSync(path);
    const file = join(path, "config.yml");
    const replace = (): void => {
      writeFileSync(`${file}.tmp`, "models: []\n");
      renameSync(`${file}.tmp`, file);
    };
    const write = (): void => writeFileSync(file, "# changed\n");
    const add = (): void => {
      mkdirSync(join(path, "flows"), { recursive: true });
      writeFileSync(join(path, "flows", "a.co"), "# a\n");
    };
    const change = (): void => writeFileSync(join(path, "flows", "a.co"), "# b\n");
    expect(await seeing(path, [replace, write, replace, write, add, change])).toBe(6);
  });

  it("include the folder itself, which is moved away and comes back", async () => {
    const path = join(folder, "moved");
    mkdirSync(path);
    const other = join(folder, "away");
    const away = (): void => (existsSync(path) ? renameSync(path, other) : undefined);
    const back = (): void => (existsSync(other) ? renameSync(other, path) : undefined);
    const write = (): void => writeFileSync(join(path, "config.yml"), "# changed\n");
    expect(await seeing(path, [write, away, back, write])).toBe(4);
  });

  it("include a single file that is replaced", async () => {
    const file = join(folder, "single.yml");
    writeFileSync(file, "");
    const replace = (): void => {
      writeFileSync(join(folder, "draft"), "models: []\n");
      renameSync(join(folder, "draft"), file);
    };
    expect(await seeing(file, [replace, () => writeFileSync(file, "# changed\n"), replace])).toBe(3);
  });
});
