import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A row of a page that names a rule and the test of it. */
export interface ConformanceRow {
  /** The heading above the table. */
  readonly section: string;
  /** The first cell. */
  readonly point: string;
  /** Below `__tests__`, without `.test.ts`; scenarios and goldens are named by their text file. */
  readonly file: string;
  /** Part of the title of a test, or the title of a golden; of scenarios their names, as `N01, N14` or `S01–S19`. */
  readonly title: string;
}

/** The rows of all tables of a page in `docs`. */
export function readConformanceRows(page: string): ConformanceRow[] {
  const rows: ConformanceRow[] = [];
  let section = "";
  for (const line of readFileSync(`${ROOT}docs/${page}`, "utf8").split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3);
    if (!/^\| (?!point |what |-)/.test(line)) continue;
    const cells = line.split("|").map((cell) => cell.trim());
    const [, point = ""] = cells;
    const [file = "", title = ""] = cells.slice(-3);
    rows.push({ section, point, file, title });
  }
  return rows;
}

/** Returns the reason for a missing test; undefined if the test exists and runs. */
export function missingTest({ file, title }: ConformanceRow): string | undefined {
  const isText = file.endsWith(".txt");
  const path = `${ROOT}__tests__/${isText ? file : `${file}.test.ts`}`;
  if (!existsSync(path)) return "the file is not there";
  const text = readFileSync(path, "utf8");
  if (title === "") return "no test is named";
  if (file.startsWith("golden/")) return text.includes(`# ${title}\n`) ? undefined : "no golden has this title";
  if (isText) {
    const missing = scenarioNames(title).filter((name) => !text.includes(`=== ${name} `));
    return missing.length === 0 ? undefined : `scenarios are not there: ${missing.join()}`;
  }
  if (/\b(?:it|test|describe)\.(?:skip|only|todo|failing)\b|\bx(?:it|describe)\(/.test(text))
    return "tests are left out";
  // The part of a title that the table shows is in a string of the file.
  const titles = [...text.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g)].map(
    (found) => found[1] ?? found[2] ?? "",
  );
  return titles.some((written) => written.includes(title)) ? undefined : "no test has this title";
}

function scenarioNames(list: string): string[] {
  return list.split(",").flatMap((part) => {
    const [first = "", last = first] = part.trim().split("–");
    const [from, to] = [Number(first.slice(1)), Number(last.slice(1))];
    return Array.from({ length: to - from + 1 }, (_, at) => `${first[0]}${String(from + at).padStart(2, "0")}`);
  });
}
