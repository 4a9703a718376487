import { formatDiagnostic } from "../diagnostics/code-frame.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { positionAt } from "../diagnostics/source-file.js";
import { omitUndefined } from "../engine/plain-data.js";
import type { Printer, Style } from "./command-line.js";

const COLOURS = { error: "red", warning: "yellow", info: "cyan" } as const satisfies Record<
  Diagnostic["severity"],
  Style
>;

/** Writes a diagnostic with its code frame: the message in color, the frame dimmed. */
export function printDiagnostic(printer: Printer, diagnostic: Diagnostic): void {
  const [title = "", ...rest] = formatDiagnostic(diagnostic).split("\n");
  printer.line(title, ["bold", COLOURS[diagnostic.severity]]);
  for (const line of rest) printer.line(line, /^ *\d* [┌│]|^ {2}at /.test(line) ? "dim" : undefined);
}

/** Returns a diagnostic as JSON. Lines and columns start at 1. */
export function diagnosticToJson({ code, severity, message, span, hint, path }: Diagnostic): object {
  const place = (offset: number): object | undefined => span && positionAt(span.source, offset);
  return {
    code,
    severity,
    message,
    ...omitUndefined({ hint }),
    ...(span === undefined
      ? omitUndefined({ path })
      : { file: span.source.name, start: place(span.start), end: place(span.end) }),
  };
}

/** Returns `2 errors, 1 warning`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
