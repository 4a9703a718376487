import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../engine/events.js";
import { type CommandLine, EXIT, type ExitCode, UsageError } from "../command-line.js";
import { openConfiguration, type OpenOptions } from "../open-configuration.js";
import { ProgressBar } from "../progress-bar.js";
import { readTests, type TestConversation } from "../testing/read-tests.js";
import { printResult, printTotals, resultsToJson, resultsToJunit } from "../testing/report-tests.js";
import { isScripted, runTest, type TestResult, TestScript } from "../testing/run-tests.js";

export interface TestOptions extends OpenOptions {
  readonly json?: boolean;
  /** File for results in the format of JUnit. */
  readonly junit?: string;
  /** Run conversations whose name contains this. */
  readonly filter?: string;
}

/** `test`: conversations with expectations. */
export async function runTests(
  path: string,
  files: readonly string[],
  options: TestOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = commandLine;
  const conversations = await readAll(files, options.filter);
  const script = new TestScript();
  const isOffline = options.offline === true || isScripted(conversations);
  const guardrails = await openConfiguration(path, options, commandLine, { script: isOffline ? script : undefined });
  const results: TestResult[] = [];
  const bar = new ProgressBar({ write: (text) => stderr.raw(text), isTTY: stderr.isTerminal });
  for (const conversation of conversations) {
    bar.show({ label: conversation.name, done: results.length, total: conversations.length });
    const result = await runTest(guardrails, conversation, { script, signal, clock: systemClock });
    results.push(result);
    bar.clear();
    if (options.json !== true) printResult(stdout, result);
  }
  if (options.json === true) stdout.json(resultsToJson(results));
  else printTotals(stdout, results);
  if (options.junit !== undefined) await writeFile(options.junit, resultsToJunit(results));
  return results.every(({ failures }) => failures.length === 0) ? EXIT.ok : EXIT.problems;
}

const TEST_FILE = /\.(?:ya?ml|csv)$/;

async function readAll(paths: readonly string[], filter = ""): Promise<readonly TestConversation[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const all: TestConversation[] = [];
  for (const file of files) all.push(...(await readTests(file, await readFile(file, "utf8"))));
  const wanted = all.filter(({ name }) => name.includes(filter));
  if (wanted.length === 0) throw new UsageError(`no conversation in ${paths.join(", ")} has a name with \`${filter}\``);
  return wanted;
}

/** A file, or all test files that lie in a folder. */
async function filesOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`the file \`${path}\` does not exist`);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => TEST_FILE.test(name)).sort();
  if (names.length === 0) throw new UsageError(`the folder \`${path}\` holds no .yml, .yaml or .csv file`);
  return names.map((name) => join(path, name));
}
