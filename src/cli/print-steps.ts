import type { TraceEvent, TraceOffer } from "../engine/explain.js";
import { lineText, type SourceFile, type SourceLocation } from "../diagnostics/source-file.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { Printer, Style } from "./command-line.js";

/** A line of `debug`: a step of a flow with its place. */
export interface Step {
  readonly flow: string;
  readonly text: string;
  readonly location?: SourceLocation | undefined;
  readonly style?: Style;
}

/** Files with flows of a configuration, by name. */
type Sources = ReadonlyMap<string, SourceFile>;

type Event<Type> = Extract<TraceEvent, { readonly type: Type }>;

type Describe = {
  readonly [Type in TraceEvent["type"]]: (event: Event<Type>, sources: Sources) => readonly Step[];
};

const DESCRIBE: Describe = {
  // A subflow is started by an instance, whose number says nothing.
  started: ({ flow, by }) => [{ flow, text: /^\d*$/.test(by) ? "starts" : `starts on \`${by}\`` }],
  moved: ({ flow, location }) => [{ flow, text: "goes on", location }],
  finished: ({ flow }) => [{ flow, text: "finishes" }],
  aborted: ({ flow, why }) => [{ flow, text: `is aborted: ${why}`, style: "yellow" }],
  interrupted: ({ flow, by }) => [{ flow, text: by === undefined ? "keeps waiting" : `is suspended by \`${by}\`` }],
  resumed: ({ flow }) => [{ flow, text: "resumes" }],
  "not-started": ({ flow, why }) => [{ flow, text: `does not start: ${why}`, style: "yellow" }],
  decided: ({ winner, others }, sources) => [
    { ...stepOf(winner, sources), text: `takes \`${winner.step}\``, style: "bold" },
    ...others.map((other) => ({
      ...stepOf(other, sources),
      text: `wanted \`${other.step}\``,
      style: "yellow" as const,
    })),
  ],
  failed: ({ flow, code, message, location }) => [{ flow, text: `fails: ${code}: ${message}`, location, style: "red" }],
  logged: ({ flow, text }) => [{ flow, text: `logs: ${text}` }],
  warning: ({ flow = "", code, message }) => [{ flow, text: `${code}: ${message}`, style: "yellow" }],
};

/** The flow that takes a step; where a flow of the package takes it for one of the configuration, that one. */
function stepOf(
  { flow, location, callers = [], callerPlaces = [] }: TraceOffer,
  sources: Sources,
): Pick<Step, "flow" | "location"> {
  const chain = [{ flow, location }, ...callers.map((caller, at) => ({ flow: caller, location: callerPlaces[at] }))];
  return chain.find((each) => each.location !== undefined && sources.has(each.location.file)) ?? { flow, location };
}

/** Returns the steps of a turn: those of the flows of the configuration, or of all flows. */
export function stepsOf(trace: readonly TraceEvent[], { colang }: RailsConfig, all: boolean): readonly Step[] {
  const sources: Sources = new Map(colang.map(({ source }) => [source.name, source]));
  const own = new Set(
    colang.flatMap(({ source }) => Array.from(source.text.matchAll(FLOW), ([, name = ""]) => name.trim())),
  );
  // The table gives each type its own function.
  const describe = (event: TraceEvent): readonly Step[] =>
    (DESCRIBE[event.type] as (event: TraceEvent, sources: Sources) => readonly Step[])(event, sources);
  const steps = trace.flatMap(describe);
  return all ? steps : steps.filter(({ flow, location }) => flow === "" || own.has(flow) || isIn(sources, location));
}

function isIn(sources: Sources, location: SourceLocation | undefined): boolean {
  return location !== undefined && sources.has(location.file);
}

/** Name in the line that begins a flow, in both dialects. */
const FLOW = /^(?:define (?:sub)?flow|flow) +([^(:\n]{1,200})/gm;

const MAX_PLACE = 28;

/** Writes steps in columns: the place, the flow and its step, and below it the line of the source. */
export function printSteps(printer: Printer, steps: readonly Step[], { colang }: RailsConfig): void {
  const sources: Sources = new Map(colang.map(({ source }) => [source.name, source]));
  const placeOf = ({ location }: Step): string => (location === undefined ? "" : `${location.file}:${location.line}`);
  const width = Math.min(MAX_PLACE, Math.max(0, ...steps.map((step) => placeOf(step).length)));
  for (const step of steps) {
    const { flow, text, location, style = "dim" } = step;
    printer.line(`  ${placeOf(step).padEnd(width)}  ${flow === "" ? "" : `${flow}: `}${text}`, style);
    const source = location && sources.get(location.file);
    const line = source && lineText(source, location.line).trim();
    if (line !== undefined && line !== "" && !text.includes(`\`${line}\``)) {
      printer.line(`  ${" ".repeat(width)}  │ ${line}`, "dim");
    }
  }
}
