import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect } from "@jest/globals";

/**
 * Compares with `__tests__/golden/examples/<name>.txt`, those of Colang 2.x in the folder `colang2`; `UPDATE_GOLDEN=1` rewrites
 * it.
 */
export function expectGolden(name: string, lines: readonly string[]): void {
  const path = fileURLToPath(
    new URL(`../../golden/examples/${name.replace(/^colang2-/, "colang2/")}.txt`, import.meta.url),
  );
  const actual = `${lines.join("\n")}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, actual);
  expect(actual).toBe(readFileSync(path, "utf8"));
}
