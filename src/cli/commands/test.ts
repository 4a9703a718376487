import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { DiagnosticError, EvaluationDataError } from "../../diagnostics/errors.js";
import { systemClock } from "../../engine/events.js";
import { type CommandLine, EXIT, type ExitCode, UsageError } from "../command-line.js";
import { openConfiguration, type OpenOptions } from "../open-configuration.js";
import { ProgressBar } from "../progress-bar.js";
import { readTests, type TestConversation } from "../testing/read-tests.js";
import { printResult, printTotals, resultsToJson, resultsToJunit } from "../testing/report-tests.js";
import { isScripted, runTest, type TestResult, TestScript } from "../testing/run-tests.js";

export interface TestOptions extends OpenOptions {
  readonly json?: boolean;
  /** JUnit file for the results. */
  readonly junit?: string;
  /** Run only conversations whose name contains this text. */
  readonly filter?: string;
}

/** `test`: runs conversations and checks their expectations. */
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
  const bar = new ProgressBar(stderr.output);
  for (const conversation of conversations) {
    bar.show({ label: conversation.name, done: results.length, total: conversations.length });
    const result = await runTest(guardrails, conversation, { script, signal, clock: systemClock });
    results.push(result);
    bar.clear();
    if (options.json !== true) printResult(stdout, result);
  }
  if (options.junit !== undefined) await writeFile(options.junit, resultsToJunit(results));
  if (options.json === true) stdout.json(resultsToJson(results));
  else printTotals(stdout, results);
  return results.every(({ failures }) => failures.length === 0) ? EXIT.ok : EXIT.problems;
}

const TEST_FILE = /\.(?:ya?ml|csv)$/;

/** @throws EvaluationDataError with the problems of all files */
async function readAll(paths: readonly string[], filter = ""): Promise<readonly TestConversation[]> {
  const files = await listFiles(paths);
  const all: TestConversation[] = [];
  const problems: Diagnostic[] = [];
  for (const file of files) {
    try {
      all.push(...(await readTests(file, await readText(file))));
    } catch (error) {
      if (!DiagnosticError.isInstance(error)) throw error;
      problems.push(...error.diagnostics);
    }
  }
  if (problems.length > 0) throw new EvaluationDataError(problems);
  const wanted = all.filter(({ name }) => name.includes(filter));
  if (wanted.length === 0) throw new UsageError(`no conversation in ${paths.join(", ")} has a name with \`${filter}\``);
  return wanted;
}

async function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    const message = `the file cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw new EvaluationDataError([createDiagnostic("EV-101", message, { path: file })]);
  });
}

/** Returns the given files, and all test files in the given folders. */
async function listFiles(paths: readonly string[]): Promise<readonly string[]> {
  const filesByPath = await Promise.all(paths.map(filesOf));
  const missing = paths.filter((_, index) => filesByPath[index] === undefined).map((path) => `\`${path}\``);
  if (missing.length === 1) throw new UsageError(`the file ${missing[0]} does not exist`);
  if (missing.length > 1) throw new UsageError(`the files ${missing.join(", ")} do not exist`);
  return filesByPath.flatMap((files) => files ?? []);
}

async function filesOf(path: string): Promise<readonly string[] | undefined> {
  const status = await stat(path).catch(() => undefined);
  if (status === undefined) return undefined;
  if (!status.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => TEST_FILE.test(name)).sort();
  if (names.length === 0) throw new UsageError(`the folder \`${path}\` holds no .yml, .yaml or .csv file`);
  return names.map((name) => join(path, name));
}
