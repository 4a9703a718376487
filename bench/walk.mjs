// node bench/walk.mjs [--only model|dialog|colang2] [--json FILE] [--top] [--files] [--root FOLDER]: function calls
// that one warm call makes in the code of this package, and the functions and files that contain them. Counts come from
// V8's precise coverage over build/ (one file a module), so build first: npm run build. `--json -` prints the JSON
// instead of the lines. Exits with 1 if a row exceeds its limit.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { parseArgs } from "node:util";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HumanMessage } from "@langchain/core/messages";

const { values } = parseArgs({
  options: {
    json: { type: "string" },
    only: { type: "string" },
    root: { type: "string" },
    top: { type: "boolean" },
    files: { type: "boolean" },
  },
});
const ROOT = values.root === undefined ? new URL("../", import.meta.url) : pathToFileURL(`${values.root}/`);
const BUILD = new URL("build/", ROOT);
const WARM_UP_CALLS = 20;
const { Guardrails } = await import(new URL("index.js", BUILD).href);
const { scriptedModel } = await import(new URL("testing/index.js", BUILD).href);

const ROWS = [
  { key: "model", name: "model behind one local input rail", limit: { calls: 1100, files: 70 }, open: guardedModel },
  {
    key: "dialog",
    name: "dialog turn of Colang 1.0, no model call",
    limit: { calls: 1200, files: 70 },
    open: dialogTurn,
  },
  { key: "colang2", name: "turn of Colang 2.x, no model call", limit: { calls: 2400, files: 70 }, open: colang2Turn },
];

/** A model with one input rail, a flow that runs one local action. */
async function guardedModel() {
  const guardrails = await Guardrails.fromConfig(
    {
      config: { rails: { input: { flows: ["check words"] } } },
      colang: `
define flow check words
  $allowed = execute check_words
  if not $allowed
    bot refuse to respond
    stop
`,
    },
    { actions: { check_words: () => true } },
  );
  const responses = Array.from({ length: WARM_UP_CALLS + 1 }, () => "Hello.");
  const model = guardrails.wrap(scriptedModel(responses));
  return () => model.invoke("hello");
}

/** A flow that greets after a greeting. */
async function dialogTurn() {
  const guardrails = await Guardrails.fromConfig({
    config: { rails: { dialog: { user_messages: { embeddings_only: true } } } },
    colang: `
define user greet
  "hello"

define bot greet
  "Hi!"

define flow greeting
  user greet
  bot greet
`,
  });
  return () => guardrails.invoke([new HumanMessage("hello")]);
}

/** A \`main\` that responds to one greeting. */
async function colang2Turn() {
  const guardrails = await Guardrails.fromConfig({
    config: { colang_version: "2.x" },
    colang: `
import core

flow greeting
  user said "hello"
  bot say "Hi!"

flow main
  activate greeting
  wait indefinitely
`,
  });
  return () => guardrails.invoke([new HumanMessage("hello")]);
}

/** Calls, functions and files of one warm call. */
async function walk(call) {
  for (let index = 0; index < WARM_UP_CALLS; index += 1) await call();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await call();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  session.disconnect();
  const counted = result.flatMap(({ url, functions }) => {
    if (!url.startsWith(BUILD.href) || url.startsWith(`${BUILD.href}testing/`)) return [];
    return functions
      .map(({ functionName, ranges }) => ({ url, name: functionName, calls: ranges[0]?.count ?? 0 }))
      .filter(({ calls }) => calls > 0);
  });
  return {
    calls: counted.reduce((sum, { calls }) => sum + calls, 0),
    functions: counted.length,
    files: new Set(counted.map(({ url }) => url)).size,
    perFile: filesOf(counted),
    top: counted
      .toSorted((a, b) => b.calls - a.calls)
      .slice(0, 40)
      .map(({ url, name, calls }) => `${calls} ${name || "(anonymous)"} ${url.slice(BUILD.href.length)}`),
  };
}

/** One line per file: its calls and its path below `build/`. */
function filesOf(counted) {
  const sums = new Map();
  for (const { url, calls } of counted) sums.set(url, (sums.get(url) ?? 0) + calls);
  return [...sums].map(([url, calls]) => `${url.slice(BUILD.href.length)} ${calls}`).sort();
}

const rows = [];
for (const { key, name, limit, open } of ROWS) {
  if (values.only !== undefined && !values.only.split(",").includes(key)) continue;
  const measured = await walk(await open());
  const holds = measured.calls <= limit.calls && measured.files <= limit.files;
  rows.push({ name, ...measured, limit, holds });
  const { calls, functions, files } = measured;
  if (values.json === "-") continue;
  console.log(
    `${name}: ${calls} calls (limit ${limit.calls}) of ${functions} functions in ${files} files (limit ${limit.files})${holds ? "" : "  TOO MANY"}`,
  );
  if (values.files) console.log(measured.perFile.map((line) => `  ${line}`).join("\n"));
  if (values.top) console.log(measured.top.map((line) => `  ${line}`).join("\n"));
}
if (values.json === "-") {
  console.log(JSON.stringify({ node: process.version, rows }));
} else if (values.json) {
  writeFileSync(values.json, `${JSON.stringify({ node: process.version, rows }, undefined, 2)}\n`);
  console.error(`written to ${fileURLToPath(new URL(values.json, `file://${process.cwd()}/`))}`);
}
if (values.json !== "-" && rows.some(({ holds }) => !holds)) process.exitCode = 1;
