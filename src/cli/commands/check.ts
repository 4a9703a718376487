import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { isError } from "../../diagnostics/diagnostic.js";
import { type CommandLine, EXIT, type ExitCode } from "../command-line.js";
import { findProblems } from "../find-problems.js";
import { countOf, diagnosticToJson, printDiagnostic } from "../print-diagnostics.js";

export interface CheckOptions {
  readonly json?: boolean;
  /** Count warnings as problems. */
  readonly strict?: boolean;
  readonly code?: boolean;
}

/** `check`: all problems of a configuration with their places. */
export async function runCheck(path: string, options: CheckOptions, commandLine: CommandLine): Promise<ExitCode> {
  const diagnostics = await findProblems(path, { allowCode: options.code !== false });
  const isBad = diagnostics.some(({ severity }) => severity === "error" || (options.strict && severity === "warning"));
  if (options.json === true) {
    commandLine.stdout.json({ path, ok: !isBad, diagnostics: diagnostics.map(diagnosticToJson) });
  } else print(path, diagnostics, commandLine);
  return isBad ? EXIT.problems : EXIT.ok;
}

function print(path: string, diagnostics: readonly Diagnostic[], { stdout }: CommandLine): void {
  for (const diagnostic of diagnostics) {
    printDiagnostic(stdout, diagnostic);
    stdout.line();
  }
  const count = (wanted: Diagnostic["severity"], noun: string): string =>
    countOf(diagnostics.filter(({ severity }) => severity === wanted).length, noun);
  const counts = [count("error", "error"), count("warning", "warning"), count("info", "note")].join(", ");
  stdout.line(`${path}: ${counts}`, diagnostics.some(isError) ? "red" : "green");
}
