// Checks the words of comments, names, messages and pages: doc comments begin with a noun or a verb, and the words of
// words.json are not used. A phrase of `allowed` may contain them. Prints `file:line: word (write …)` for each place.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { forbidden, allowed } = JSON.parse(readFileSync(new URL("words/words.json", import.meta.url), "utf8"));
const { values, positionals } = parseArgs({ options: { count: { type: "boolean" } }, allowPositionals: true });
const ROOTS = positionals.length > 0 ? positionals : ["src", "__tests__", "examples", "bench", "scripts", "docs", "."];
const OPENING = /^\s*(?:\/\*\*|\/\/)\s*(What|Who|Whose|Whether|Where)\b/;
const ALLOWED = new RegExp(allowed.join("|"), "gi");
const WORDS = new RegExp(`\\b(${Object.keys(forbidden).join("|")})\\b`, "gi");
// Lists of phrases that detectors look for hold the words of others, and so do the samples of their tests.
const SKIPPED =
  /(^|\/)(node_modules|dist|build|coverage|golden|scenarios|phrases)\/|\/(detectors|eval\/samples)\/.*(samples|families|documents|instructions)\.ts$|\.(co|txt|json|yml)$|words\.json$|CHANGELOG\.md$/;

function* files(root) {
  if (statSync(root).isFile()) return yield root;
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const path = join(root, entry.name);
    if (entry.isDirectory() && root !== "." && !SKIPPED.test(`${path}/`)) yield* files(path);
    else if (entry.isFile() && /\.(tsx?|mjs|js|md)$/.test(entry.name) && !SKIPPED.test(path)) yield path;
  }
}

/** The words of a line: names in camel case and kebab case are split. */
function split(line) {
  return line.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]/g, " ");
}

const found = [];
for (const root of ROOTS) {
  for (const path of files(root)) {
    const text = readFileSync(path, "utf8");
    if (text.startsWith("// Generated")) continue;
    for (const [index, line] of text.split("\n").entries()) {
      const place = `${path}:${index + 1}`;
      const opening = OPENING.exec(line);
      if (opening !== null && !path.endsWith(".md")) found.push([path, `${place}: begins with \`${opening[1]}\``]);
      for (const [word] of split(line).replace(ALLOWED, "").matchAll(WORDS)) {
        found.push([path, `${place}: \`${word}\` (write ${forbidden[word.toLowerCase()]})`]);
      }
    }
  }
}
if (values.count) {
  const counts = new Map();
  for (const [path] of found) {
    const folder = path.split("/").slice(0, 2).join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of counts) console.log(`${count} ${folder}`);
} else for (const [, line] of found) console.error(line);
process.exitCode = found.length > 0 ? 1 : 0;
