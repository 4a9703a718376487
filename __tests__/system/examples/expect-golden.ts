import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect } from "@jest/globals";

/** Examples of rails that ask models. */
const JUDGES = new Set(["guard-models", "policies"]);

/**
 * Compares with `__tests__/golden/examples/<name>.txt`, those of Colang 2.x in the folder `colang2`, those of judges in `judges`;
 * `UPDATE_GOLDEN=1` rewrites it.
 */
export function expectGolden(name: string, lines: readonly string[]): void {
  const place = JUDGES.has(name) ? `judges/${name}` : name.replace(/^colang2-/, "colang2/");
  const path = fileURLToPath(new URL(`../../golden/examples/${place}.txt`, import.meta.url));
  const actual = `${lines.join("\n")}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, actual);
  expect(actual).toBe(readFileSync(path, "utf8"));
}
