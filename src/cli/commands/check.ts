import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Diagnostic, isError } from "../../diagnostics/diagnostic.js";
import { type CommandLine, EXIT, type ExitCode } from "../command-line.js";
import { findProblems } from "../find-problems.js";
import { countOf, diagnosticToJson, printDiagnostic } from "../print-diagnostics.js";
import { type PythonAction, readPythonActions, toTypeScript } from "../python-actions.js";
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
  const { diagnostics: problems, config } = await findProblems(path, { allowCode: options.code !== false });
  const drafts = await readDrafts(path, problems);
  const diagnostics = problems.map((diagnostic) => withDraftHint(diagnostic, drafts));
  const unread = await unreadFiles(path, config?.settings.knowledge_base.folder ?? "kb");
  const isBad = diagnostics.some(({ severity }) => severity === "error" || (options.strict && severity === "warning"));
  if (options.json === true) {
    commandLine.stdout.json({ path, ok: !isBad, diagnostics: diagnostics.map(diagnosticToJson), unread });
  } else {
    printProblems(diagnostics, commandLine);
    printDrafts(drafts, commandLine);
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

/** Actions of one file in Python, which is not run. */
interface Draft {
  readonly file: string;
  readonly actions: readonly PythonAction[];
}

async function readDrafts(path: string, diagnostics: readonly Diagnostic[]): Promise<readonly Draft[]> {
  const files = diagnostics.flatMap(({ code, path: file }) => (code === "CF-208" && file !== undefined ? [file] : []));
  const read = async (file: string): Promise<Draft> => {
    return { file, actions: readPythonActions(await readFile(join(path, file), "utf8").catch(() => "")) };
  };
  return (await Promise.all(files.map(read))).filter(({ actions }) => actions.length > 0);
}

const MISSING_ACTION: ReadonlySet<string> = new Set(["CO-312", "C2-318"]);

/** Names the file of an action that only exists in Python, where other diagnostics suggest a similar name. */
function withDraftHint(diagnostic: Diagnostic, drafts: readonly Draft[]): Diagnostic {
  if (!MISSING_ACTION.has(diagnostic.code)) return diagnostic;
  const isNamed = ({ name }: PythonAction): boolean => diagnostic.message.startsWith(`no action is called \`${name}\``);
  const draft = drafts.find(({ actions }) => actions.some(isNamed));
  return draft === undefined ? diagnostic : { ...diagnostic, hint: `write it in \`${toScriptName(draft.file)}\`` };
}

/** Prints the actions of Python files as TypeScript functions. */
function printDrafts(drafts: readonly Draft[], { stdout }: CommandLine): void {
  for (const { file, actions } of drafts) {
    stdout.line(`the actions of ${file} in ${toScriptName(file)}:`, "bold");
    stdout.line(toTypeScript(actions));
  }
}

function toScriptName(file: string): string {
  return file.replace(/\.py$/, ".ts");
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
