import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "@jest/globals";

import { DIAGNOSTIC_CODES } from "../../src/diagnostics/codes.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Files that name codes without testing them: this one, and those that compute expected results. */
const NO_EVIDENCE = new Set(["__tests__/diagnostics/codes.test.ts", "__tests__/colang1/engine/oracle.ts"]);

/** Every code of the catalogue of Colang 1.0 diagnostics, as ranges. */
const CATALOGUE = [range(101, 108), range(110, 120), range(201, 209), range(301, 318), range(401, 409), range(501, 502)]
  .flat()
  .map((number) => `CO-${number}`);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function codesIn(folder: string, isWanted: (path: string) => boolean): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const name of readdirSync(join(ROOT, folder), { recursive: true }).map(String)) {
    const path = `${folder}/${name.replaceAll("\\", "/")}`;
    if (!isWanted(path)) continue;
    for (const code of new Set(readFileSync(join(ROOT, path), "utf8").match(/\b(?:CO|C2|CF|PR|RL|EV)-\d{3}\b/g))) {
      places.set(code, [...(places.get(code) ?? []), path]);
    }
  }
  return places;
}

const reported = codesIn("src", (path) => path.endsWith(".ts") && path !== "src/diagnostics/codes.ts");
const shown = codesIn("__tests__", (path) => /\.(?:ts|txt)$/.test(path) && !NO_EVIDENCE.has(path));

describe("the table of codes", () => {
  it("has the whole catalogue of Colang 1.0", () => {
    expect(CATALOGUE.filter((code) => !Object.hasOwn(DIAGNOSTIC_CODES, code))).toEqual([]);
  });

  it("is sorted within each prefix, so that a number given twice would show", () => {
    const codes = Object.keys(DIAGNOSTIC_CODES);
    for (const prefix of ["CO", "C2", "CF", "PR", "RL", "EV"]) {
      const own = codes.filter((code) => code.startsWith(`${prefix}-`));
      expect(own).toEqual([...own].sort());
    }
  });

  it.each(Object.entries(DIAGNOSTIC_CODES))("%s has a title in the style of messages", (_code, { title }) => {
    expect(title).toMatch(/^(?:[a-z`]|Colang|YAML)/);
    expect(title).not.toMatch(/\.$/);
  });
});

describe("every code", () => {
  it("that is reported is in the table", () => {
    expect([...reported.keys()].filter((code) => !Object.hasOwn(DIAGNOSTIC_CODES, code))).toEqual([]);
  });

  it.each(Object.keys(DIAGNOSTIC_CODES))("%s is reported somewhere", (code) => {
    expect(reported.get(code) ?? []).not.toEqual([]);
  });

  it.each(Object.keys(DIAGNOSTIC_CODES))("%s has a golden or a test", (code) => {
    expect(shown.get(code) ?? []).not.toEqual([]);
  });

  const golden = Object.keys(DIAGNOSTIC_CODES).filter(
    (code) => /^(?:CO|C2)-[123]/.test(code) && code !== "CO-121" && code !== "C2-112",
  );
  it.each(golden)("%s, which has a place in a source, has a golden that names the underlined text", (code) => {
    expect(shown.get(code)?.filter((path) => path.startsWith("__tests__/golden/")) ?? []).not.toEqual([]);
  });
});
