import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { missingTest, readConformanceRows } from "../conformance/conformance-table.js";

describe("the conformance table", () => {
  const rows = readConformanceRows("conformance-langchain.md");

  const count = (from: string): number =>
    new Set(rows.map(({ point }) => point).filter((point) => point.startsWith(from))).size;

  describe("docs/conformance-langchain.md", () => {
    it.each([
      ["C", 10],
      ["T", 10],
      ["D", 20],
      ["B6.", 8],
      ["A1.", 5],
    ])("has every point of %s", (prefix, points) => {
      expect(count(prefix)).toBe(points);
    });

    it.each(rows)("$point: $file has `$title`", (row) => {
      expect(missingTest(row)).toBeUndefined();
    });
  });
});

describe("the imports of `langchain/`", () => {
  const ROOT = fileURLToPath(new URL("../../src/", import.meta.url));
  /** Imports and exports that exist at run time; a type in a list of values does not remove the import. */
  const STATIC = /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"]+)";/gms;

  /** The packages that an entry point loads before any call. */
  function packagesOf(entry: string): ReadonlySet<string> {
    const packages = new Set<string>();
    const seen = new Set<string>();
    const queue = [join(ROOT, entry)];
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(STATIC)) {
        if (specifier.startsWith(".")) queue.push(join(dirname(file), specifier.replace(/\.js$/, ".ts")));
        else packages.add(specifier);
      }
    }
    // A walk that saw nothing would pass every test.
    expect(seen.size).toBeGreaterThan(20);
    return packages;
  }

  describe.each(["index.ts", "langchain/langgraph.ts"])("%s", (entry) => {
    it("loads core, and no package that users may not have", () => {
      const packages = [...packagesOf(entry)];
      expect(packages.filter((name) => name.startsWith("@langchain/core/"))).not.toEqual([]);
      expect(packages.filter((name) => /^(@langchain\/(?!core\/)|langchain)/.test(name))).toEqual([]);
      expect(packages.filter((name) => name.startsWith("node:"))).toEqual([]);
    });
  });

  it.each(["index.ts", "langchain/rails.ts"])("%s loads neither zod nor LangChain's classes of tools", (entry) => {
    const packages = [...packagesOf(entry)];
    expect(packages.filter((name) => name.startsWith("zod") || name === "@langchain/core/tools")).toEqual([]);
  });
});
