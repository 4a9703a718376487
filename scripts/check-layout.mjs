// Checks the sizes of the layout: at most 25 files lie flat in a folder of src/ and __tests__/, a file of src/ has at most
// 400 lines and a test file at most 800. Generated files do not count as lines.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FILES = 25;
const LINES = { src: 400, __tests__: 800 };

let problems = 0;
function report(message) {
  problems += 1;
  console.error(message);
}

function visit(folder, lines) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  if (files.length > FILES) report(`${folder}: ${files.length} files (limit ${FILES})`);
  for (const { name } of files.filter(({ name }) => /\.tsx?$/.test(name))) {
    const text = readFileSync(join(folder, name), "utf8");
    const count = text.split("\n").length - 1;
    if (count > lines && !text.startsWith("// Generated"))
      report(`${join(folder, name)}: ${count} lines (limit ${lines})`);
  }
  for (const entry of entries.filter((entry) => entry.isDirectory())) visit(join(folder, entry.name), lines);
}

for (const [folder, lines] of Object.entries(LINES)) visit(folder, lines);
process.exitCode = problems > 0 ? 1 : 0;
