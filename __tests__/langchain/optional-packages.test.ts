import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";

const { peerDependenciesMeta } = JSON.parse(readFileSync("package.json", "utf8")) as {
  peerDependenciesMeta: Record<string, { readonly optional: boolean }>;
};
const texts = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => readFileSync(join("src", path), "utf8"));

/** Imports of a package at run time: all of them, and those that a `try` block begins with. */
const IMPORT = / import\("([^"]+)"\)/g;
const TRIED = /try \{\s+return \(?await import\("([^"]+)"\)/g;

describe("imports of optional packages", () => {
  const namesOf = (pattern: RegExp): readonly string[] =>
    texts
      .flatMap((text) => Array.from(text.matchAll(pattern), ([, name = ""]) => name))
      .filter((name) => name in peerDependenciesMeta)
      .toSorted();

  it("stand in `try` blocks, since bundlers fail on others if the package is missing", () => {
    expect(namesOf(TRIED)).toEqual(namesOf(IMPORT));
    expect(new Set(namesOf(IMPORT))).toEqual(
      new Set(["@langchain/langgraph", "@opentelemetry/api", "bullmq", "ioredis", "pg"]),
    );
  });
});
