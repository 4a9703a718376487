import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Diagnostic, isError } from "../../diagnostics/diagnostic.js";
import { type CommandLine, EXIT, type ExitCode } from "../command-line.js";
import { findProblems } from "../find-problems.js";
import { countOf, diagnosticToJson, printDiagnostic } from "../print-diagnostics.js";
import { readPythonActions, toTypeScript } from "../python-actions.js";
import { unreadFiles } from "../unread-files.js";
import { watchFiles } from "../watch.js";

export interface CheckOptions {
  readonly json?: boolean;
  /** Count warnings as problems. */
  readonly strict?: boolean;
  /** Check again whenever files change. */
  readonly watch?: boolean;
  readonly code?: boolean;
}

/** `check`: prints all problems of a configuration with their positions. */
export async function runCheck(path: string, options: CheckOptions, commandLine: CommandLine): Promise<ExitCode> {
  const code = await checkOnce(path, options, commandLine);
  const isThere = (await stat(path).catch(() => undefined)) !== undefined;
  if (options.watch !== true || !isThere) return code;
  const { stdout, stderr, signal } = commandLine;
  // Programs that read JSON expect nothing else on stdout.
  const notices = options.json === true ? stderr : stdout;
  notices.line("waiting for changes; Ctrl+C ends", "dim");
  await watchFiles(path, signal, async () => {
    notices.line();
    // If the folder changes during the check, it is checked again.
    await checkOnce(path, options, commandLine).catch((error: Error) => stderr.line(error.message, "red"));
  });
  return EXIT.ok;
}

async function checkOnce(path: string, options: CheckOptions, commandLine: CommandLine): Promise<ExitCode> {
  const { diagnostics, config } = await findProblems(path, { allowCode: options.code !== false });
  const unread = await unreadFiles(path, config?.settings.knowledge_base.folder ?? "kb");
  const isBad = diagnostics.some(({ severity }) => severity === "error" || (options.strict && severity === "warning"));
  if (options.json === true) {
    commandLine.stdout.json({ path, ok: !isBad, diagnostics: diagnostics.map(diagnosticToJson), unread });
  } else {
    printProblems(diagnostics, commandLine);
    await printPython(path, diagnostics, commandLine);
    printUnread("not read, as `.railsignore` says", unread.ignored, commandLine);
    printUnread("not read: neither YAML, Colang, documents nor code", unread.others, commandLine);
    printTotals(path, diagnostics, commandLine);
  }
  return isBad ? EXIT.problems : EXIT.ok;
}

function printProblems(diagnostics: readonly Diagnostic[], { stdout }: CommandLine): void {
  for (const diagnostic of diagnostics) {
    printDiagnostic(stdout, diagnostic);
    stdout.line();
  }
}

/** Python files are not run; prints their actions as TypeScript functions. */
async function printPython(path: string, diagnostics: readonly Diagnostic[], { stdout }: CommandLine): Promise<void> {
  for (const { code, path: name } of diagnostics) {
    if (code !== "CF-208" || name === undefined) continue;
    const actions = readPythonActions(await readFile(join(path, name), "utf8").catch(() => ""));
    if (actions.length === 0) continue;
    stdout.line(`the actions of ${name} in ${name.replace(/\.py$/, ".ts")}:`, "bold");
    stdout.line(toTypeScript(actions));
  }
}

const SHOWN = 5;

function printUnread(why: string, names: readonly string[], { stdout }: CommandLine): void {
  if (names.length === 0) return;
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  stdout.line(`${why}: ${names.slice(0, SHOWN).join(", ")}${more}`, "dim");
}

function printTotals(path: string, diagnostics: readonly Diagnostic[], { stdout }: CommandLine): void {
  const count = (wanted: Diagnostic["severity"], noun: string): string =>
    countOf(diagnostics.filter(({ severity }) => severity === wanted).length, noun);
  const counts = [count("error", "error"), count("warning", "warning"), count("info", "note")].join(", ");
  stdout.line(`${path}: ${counts}`, diagnostics.some(isError) ? "red" : "green");
}
