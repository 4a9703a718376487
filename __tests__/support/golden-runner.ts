import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "@jest/globals";

import type { Span } from "../../src/diagnostics/source-file.js";

/**
 * Golden files: `# title`, source, `==>`, expected; then the next `# title`. The source may hold any line but `==>`;
 * the expected part must not hold a line that begins with `# `. `UPDATE_GOLDEN=1` rewrites what differs, and the
 * difference is reviewed like code.
 */
export interface GoldenCase {
  readonly title: string;
  readonly source: string;
  readonly expected: string;
}

/** The result of a case: the expected part, and the source too where it carries marks that are checked. */
export type GoldenOutcome = string | { readonly source: string; readonly expected: string };

export function parseGolden(text: string): GoldenCase[] {
  const cases: GoldenCase[] = [];
  let title: string | undefined;
  let source: string[] = [];
  let expected: string[] | undefined;
  const close = (): void => {
    if (title === undefined) return;
    if (!expected) throw new Error(`golden case "${title}" has no line ==>`);
    cases.push({ title, source: trimLines(source), expected: trimLines(expected) });
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("# ") && (title === undefined || expected)) {
      close();
      title = line.slice(2).trim();
      source = [];
      expected = undefined;
    } else if (expected) expected.push(line);
    else if (line === "==>" && title !== undefined) expected = [];
    else source.push(line);
  }
  close();
  return cases;
}

export function printGolden(cases: readonly GoldenCase[]): string {
  return cases.map(({ title, source, expected }) => `# ${title}\n\n${source}\n\n==>\n\n${expected}\n`).join("\n");
}

function trimLines(lines: readonly string[]): string {
  let from = 0;
  let to = lines.length;
  while (from < to && lines[from]?.trim() === "") from += 1;
  while (to > from && lines[to - 1]?.trim() === "") to -= 1;
  return lines.slice(from, to).join("\n");
}

/**
 * Runs every case of every `.txt` file below `__tests__/golden/<folder>` (not of its sub-folders).
 *
 * @example
 * ```ts
 * runGoldens("colang1/trees", (source) => formatTree(parse(source)));
 * ```
 */
export function runGoldens(folder: string, run: (source: string, title: string) => GoldenOutcome): void {
  const directory = fileURLToPath(new URL(`../golden/${folder}/`, import.meta.url));
  const update = process.env["UPDATE_GOLDEN"] === "1";
  const files = readdirSync(directory).filter((name) => name.endsWith(".txt"));
  describe.each(files.sort())(`${folder}/%s`, (name) => {
    const path = `${directory}${name}`;
    const cases = parseGolden(readFileSync(path, "utf8"));
    const results = [...cases];
    it.each(cases.map((golden, index) => [golden.title, golden, index] as const))("%s", (title, golden, index) => {
      const outcome = run(golden.source, title);
      const actual = typeof outcome === "string" ? { source: golden.source, expected: outcome } : outcome;
      const result = { title, source: actual.source, expected: trimLines(actual.expected.split("\n")) };
      if (update) results[index] = result;
      else expect(result).toEqual(golden);
    });
    afterAll(() => {
      if (update) writeFileSync(path, printGolden(results));
    });
  });
}

/** Removes the marks «» from a text; ranges are offsets into the bare text, in the order in which they open. */
export function unmark(marked: string): { text: string; ranges: { start: number; end: number }[] } {
  const ranges: { start: number; end: number }[] = [];
  const open: { start: number; end: number }[] = [];
  let text = "";
  for (const character of marked) {
    if (character === "«") {
      const range = { start: text.length, end: text.length };
      ranges.push(range);
      open.push(range);
    } else if (character === "»") {
      const range = open.pop();
      if (!range) throw new Error("» without «");
      range.end = text.length;
    } else text += character;
  }
  if (open.length > 0) throw new Error("« without »");
  return { text, ranges };
}

/** Puts marks around spans; the inverse of `unmark` if spans nest. */
export function mark(text: string, spans: readonly Pick<Span, "start" | "end">[]): string {
  const unique = new Map(spans.map(({ start, end }) => [`${start}:${end}`, { start, end }]));
  const inserts: { at: number; order: number; width: number; mark: string }[] = [];
  for (const { start, end } of unique.values()) {
    const width = end - start;
    inserts.push({ at: start, order: width === 0 ? 1 : 2, width: -width, mark: width === 0 ? "«»" : "«" });
    if (width > 0) inserts.push({ at: end, order: 0, width, mark: "»" });
  }
  inserts.sort((a, b) => a.at - b.at || a.order - b.order || a.width - b.width);
  let marked = "";
  let done = 0;
  for (const insert of inserts) {
    marked += text.slice(done, insert.at) + insert.mark;
    done = insert.at;
  }
  return marked + text.slice(done);
}
