// npm run eval -- topical|moderation|fact-checking|hallucination|detectors: evaluates rails on the data of a folder.
import { readFileSync, writeFileSync } from "node:fs";
import * as evaluation from "../dist/eval/index.js";
import * as guardrails from "../dist/index.js";
import { ProgressBar } from "../build/cli/progress-bar.js";
import { replaceFigures } from "./eval/figures.mjs";
import { readArguments, USAGE } from "./eval/arguments.mjs";
import { createSuites } from "./eval/suites.mjs";

const suites = createSuites({ guardrails, evaluation });
const read = readArguments(process.argv.slice(2), Object.keys(suites));
if ("problem" in read) {
  console.error(`${read.problem}\n\n${USAGE}`);
  process.exit(2);
}
if (read.help) {
  console.log(USAGE);
  process.exit(0);
}

const controller = new AbortController();
process.once("SIGINT", () => controller.abort(new Error("stopped")));
const bar = new ProgressBar(process.stderr);
try {
  const results = await suites[read.suite]({
    ...read,
    signal: controller.signal,
    onProgress: (progress) => bar.show(progress),
  });
  bar.clear();
  process.stdout.write(evaluation.formatText(results));
  const subtitle = `${read.suite}, seed ${read.seed}, ${new Date().toISOString().slice(0, 10)}, Node ${process.version}`;
  if (read.json) writeReport(read.json, evaluation.formatJson(results));
  if (read.markdown) {
    const figures = evaluation.formatMarkdown(results);
    writeReport(read.markdown, replaceFigures(readFileSync(read.markdown, "utf8"), figures, read.markdown));
  }
  if (read.check) checkBars(results);
  if (read.html) writeReport(read.html, evaluation.formatHtml(results, { subtitle }));
} catch (error) {
  bar.clear();
  // Problems of data and configurations have clear messages; only mistakes in code need a stack.
  console.error(error?.code === undefined && !controller.signal.aborted ? error : error.message);
  process.exitCode = controller.signal.aborted ? 130 : 1;
}

function checkBars(results) {
  const missed = results.filter(({ kind }) => kind === "detectors").flatMap(evaluation.missedRows);
  for (const { detector, dataset, name } of missed) console.error(`missed: ${detector}, ${dataset}, ${name}`);
  if (missed.length > 0) process.exitCode = 1;
}

function writeReport(file, text) {
  writeFileSync(file, text);
  console.error(`written to ${file}`);
}
