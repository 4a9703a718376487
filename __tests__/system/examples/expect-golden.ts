import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect } from "@jest/globals";

/** Folders of transcripts, by example. */
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ["guard-models", "judges"],
  ["picture-safety", "judges"],
  ["policies", "judges"],
  ["own-rail", "rails"],
  ["service-rails", "rails"],
  ["single-rails", "rails"],
]);

/**
 * Compares with `__tests__/golden/examples/<name>.txt`, those of Colang 2.x in the folder `colang2`, others
 * in folders of their own; `UPDATE_GOLDEN=1` rewrites it.
 */
export function expectGolden(name: string, lines: readonly string[]): void {
  const folder = FOLDERS.get(name);
  const place = folder === undefined ? name.replace(/^colang2-/, "colang2/") : `${folder}/${name}`;
  const path = fileURLToPath(new URL(`../../golden/examples/${place}.txt`, import.meta.url));
  const actual = `${lines.join("\n")}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, actual);
  expect(actual).toBe(readFileSync(path, "utf8"));
}
