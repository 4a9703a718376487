// Compiles the functions that a first response runs with their file. V8 otherwise reads such a function twice, once to
// find its end and once to compile it, and sets up its compiler for each: a first response takes 7 ms less. It compiles
// a function with its file if the function is written in parentheses, so a declaration `function name() {}` becomes
// `const name = (function name() {});`, at the top of its file, since declarations can be called by the code above
// them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

const PROGRAM = fileURLToPath(new URL("answer.mjs", import.meta.url));
const HEADING = "// Functions of a first answer, in parentheses so that V8 compiles them with the file\n";

/**
 * Rewrites the files of a folder that the first responses of both dialects load: functions that each of these responses
 * runs are compiled with them.
 */
export function compileWithFiles(folder) {
  const answers = ["1.0", "2.x"].map((dialect) => functionsRun(folder, dialect));
  for (const name of readdirSync(folder)) {
    const loaded = answers.flatMap((files) => files.get(name) ?? []);
    if (loaded.length === 0) continue;
    const path = join(folder, name);
    const code = readFileSync(path, "utf8");
    writeFileSync(
      path,
      withHints(code, (place) => loaded.every((places) => places.has(place))),
    );
  }
}

/** Positions of the functions that a first response runs, for each loaded file of a folder. */
function functionsRun(folder, dialect) {
  const coverage = mkdtempSync(join(tmpdir(), "first-answer-"));
  try {
    execFileSync(process.execPath, [PROGRAM, dialect], { env: { ...process.env, NODE_V8_COVERAGE: coverage } });
    const reports = readdirSync(coverage).map((name) => JSON.parse(readFileSync(join(coverage, name), "utf8")));
    const scripts = reports.flatMap(({ result }) => result);
    return new Map(
      readdirSync(folder).flatMap((name) => {
        const script = scripts.find(({ url }) => url.endsWith(`/dist/shared/${name}`));
        return script === undefined ? [] : [[name, placesRun(script.functions)]];
      }),
    );
  } finally {
    rmSync(coverage, { recursive: true, force: true });
  }
}

function placesRun(functions) {
  const run = functions.flatMap(({ ranges }) => (ranges[0].count > 0 ? [ranges[0]] : []));
  return new Set(run.map(({ startOffset, endOffset }) => `${startOffset}-${endOffset}`));
}

/** The code of a module with the chosen functions in parentheses, after its imports. */
function withHints(code, isRun) {
  const { body } = parseAst(code);
  const imports = body.filter(({ type }) => type === "ImportDeclaration");
  const chosen = body.filter(({ type, start, end }) => type === "FunctionDeclaration" && isRun(`${start}-${end}`));
  if (chosen.length === 0) return code;
  const top = Math.max(0, ...imports.map(({ end }) => end));
  const hinted = chosen.map(({ id, start, end }) => `const ${id.name} = (${code.slice(start, end)});\n`);
  const rest = chosen.map(({ start }, index) => code.slice(chosen[index - 1]?.end ?? top, start));
  return [code.slice(0, top), "\n", HEADING, ...hinted, ...rest, code.slice(chosen.at(-1).end)].join("");
}
