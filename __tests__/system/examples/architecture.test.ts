// docs/architecture.md names files and folders that exist, and every room; CONTRIBUTING.md names every script.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";

const ROOT = process.cwd();
const PAGE = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
const rooms = Object.keys(JSON.parse(readFileSync(join(ROOT, "rooms.json"), "utf8")) as object);

describe("docs/architecture.md", () => {
  const paths = [...new Set([...PAGE.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = ""]) => path))];
  it.each(paths)("names %s, which exists", (path) => expect(existsSync(join(ROOT, path))).toBe(true));

  // "`src/rails/`: `select.ts` and `plan.ts` choose": short names belong to a folder of the same paragraph.
  const short = PAGE.split(/\n\n|\n(?=\d+\. )/).flatMap((paragraph) => {
    const folders = [...paragraph.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = ""]) =>
      path.endsWith(".ts") ? dirname(path) : path,
    );
    return [...paragraph.matchAll(/`([\w-]+\.ts)`/g)].map(([, name = ""]) => [name, folders] as const);
  });
  it.each(short)("names %s in a folder of its paragraph", (name, folders) => {
    expect(folders.some((folder) => existsSync(join(ROOT, folder, name)))).toBe(true);
  });

  it("lists every room", () => {
    const listed = rooms.filter((room) => !room.includes("/"));
    expect(listed.filter((room) => !PAGE.includes(`\`src/${room}\``))).toEqual([]);
  });
});

describe("CONTRIBUTING.md", () => {
  it("names every script", () => {
    const page = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
    const scripts = readdirSync(join(ROOT, "scripts")).filter((name) => name.endsWith(".mjs"));
    expect(scripts.filter((name) => !page.includes(name))).toEqual([]);
  });
});
