// Checks the built package: its declarations need nothing that it lacks, it is not too large, and installing it runs no script.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";

const MOST_BYTES = 1_200_000;

const { exports, scripts } = JSON.parse(readFileSync("package.json", "utf8"));
// npm asks each user to allow a package with one of these.
for (const name of ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"]) {
  if (name in scripts) report(`the script \`${name}\` would run where the package is installed`);
}
const program = ts.createProgram(
  Object.values(exports).flatMap(({ types }) => types ?? []),
  {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  },
);
// Declarations of other packages are not ours to check.
const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes("/node_modules/"));
const problems = own.flatMap((file) => [
  ...program.getSyntacticDiagnostics(file),
  ...program.getSemanticDiagnostics(file),
]);
for (const { file, messageText } of problems) {
  report(`${file.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
}
if (own.length < 100) report(`expected at least 100 declaration files, found ${own.length}`);

const pack = spawnSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], { encoding: "utf8" });
const [{ size }] = Object.values(JSON.parse(pack.stdout));
if (size > MOST_BYTES) report(`the package has ${size} bytes (limit ${MOST_BYTES})`);

function report(message) {
  console.error(message);
  process.exitCode = 1;
}
