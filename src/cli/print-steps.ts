import { lineText, type SourceFile } from "../diagnostics/source-file.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { FlowStep, StepKind } from "../turn/flow-steps.js";
import type { Printer, Style } from "./command-line.js";

const STYLES: Readonly<Record<StepKind, Style>> = {
  moved: "dim",
  took: "bold",
  lost: "yellow",
  stopped: "yellow",
  failed: "red",
};

const MAX_PLACE = 28;

/** Writes each step in columns: position, flow and step, followed by the source line. */
export function printSteps(printer: Printer, steps: readonly FlowStep[], { colang }: RailsConfig): void {
  const sources = new Map<string, SourceFile>(colang.map(({ source }) => [source.name, source]));
  const placeOf = ({ location }: FlowStep): string =>
    location === undefined ? "" : `${location.file}:${location.line}`;
  const width = Math.min(MAX_PLACE, Math.max(0, ...steps.map((step) => placeOf(step).length)));
  for (const step of steps) {
    const { kind, flow, text, location } = step;
    printer.line(`  ${placeOf(step).padEnd(width)}  ${flow === "" ? "" : `${flow}: `}${text}`, STYLES[kind]);
    const source = location && sources.get(location.file);
    const line = source && lineText(source, location.line).trim();
    if (line !== undefined && line !== "" && !text.includes(`\`${line}\``)) {
      printer.line(`  ${" ".repeat(width)}  │ ${line}`, "dim");
    }
  }
}
