import type { RailsConfig } from "../config/rails-config.js";
import type { SourceFile, SourceLocation } from "../diagnostics/source-file.js";
import type { TraceEvent, TraceOffer } from "../engine/explain.js";

/**
 * Kind of a step, for display: `took` and `lost` for steps that flows wanted, `stopped` for flows that did not
 * continue.
 */
export type StepKind = "moved" | "took" | "lost" | "stopped" | "failed";

/** A step of a flow in a turn, with its location. */
export interface FlowStep {
  readonly kind: StepKind;
  readonly flow: string;
  readonly text: string;
  readonly location?: SourceLocation | undefined;
}

/** Files with flows of a configuration, by name. */
type Sources = ReadonlyMap<string, SourceFile>;

type Event<Type> = Extract<TraceEvent, { readonly type: Type }>;

type Describe = {
  readonly [Type in TraceEvent["type"]]: (event: Event<Type>, sources: Sources) => readonly FlowStep[];
};

const DESCRIBE: Describe = {
  // A subflow is started by an instance, whose number is meaningless to readers.
  started: ({ flow, by }) => [{ kind: "moved", flow, text: /^\d*$/.test(by) ? "starts" : `starts on \`${by}\`` }],
  moved: ({ flow, location }) => [{ kind: "moved", flow, text: "goes on", location }],
  finished: ({ flow }) => [{ kind: "moved", flow, text: "finishes" }],
  aborted: ({ flow, why }) => [{ kind: "stopped", flow, text: `is aborted: ${why}` }],
  interrupted: ({ flow, by }) => [
    { kind: "moved", flow, text: by === undefined ? "keeps waiting" : `is suspended by \`${by}\`` },
  ],
  resumed: ({ flow }) => [{ kind: "moved", flow, text: "resumes" }],
  "not-started": ({ flow, why }) => [{ kind: "stopped", flow, text: `does not start: ${why}` }],
  decided: ({ winner, others }, sources) => [
    { kind: "took", ...placeOf(winner, sources), text: `takes \`${winner.step}\`` },
    ...others.map((other): FlowStep => ({
      kind: "lost",
      ...placeOf(other, sources),
      text: `wanted \`${other.step}\``,
    })),
  ],
  failed: ({ flow, code, message, location }) => [
    { kind: "failed", flow, text: `fails: ${code}: ${message}`, location },
  ],
  logged: ({ flow, text }) => [{ kind: "moved", flow, text: `logs: ${text}` }],
  warning: ({ flow = "", code, message }) => [{ kind: "stopped", flow, text: `${code}: ${message}` }],
};

/** The flow that takes a step; if a flow of the package acts for one of the configuration, that one. */
function placeOf(
  { flow, location, callers = [], callerPlaces = [] }: TraceOffer,
  sources: Sources,
): Pick<FlowStep, "flow" | "location"> {
  const chain = [{ flow, location }, ...callers.map((caller, at) => ({ flow: caller, location: callerPlaces[at] }))];
  return chain.find((step) => step.location !== undefined && sources.has(step.location.file)) ?? { flow, location };
}

/** Returns the steps of a turn: those of configured flows, or of all flows. */
export function stepsOf(trace: readonly TraceEvent[], config: RailsConfig, all: boolean): readonly FlowStep[] {
  const sources: Sources = new Map(filesOf(config).map((source) => [source.name, source]));
  const ownFlows = new Set(flowsOf(config));
  // The table is keyed by type, which the compiler cannot correlate.
  const describe = (event: TraceEvent): readonly FlowStep[] =>
    (DESCRIBE[event.type] as (event: TraceEvent, sources: Sources) => readonly FlowStep[])(event, sources);
  const steps = trace.flatMap(describe);
  return all
    ? steps
    : steps.filter(({ flow, location }) => flow === "" || ownFlows.has(flow) || isIn(sources, location));
}

function isIn(sources: Sources, location: SourceLocation | undefined): boolean {
  return location !== undefined && sources.has(location.file);
}

/** Flow name in a header line, in both dialects. */
const FLOW = /^(?:define (?:sub)?flow|flow) +([^(:\n]{1,200})/gm;

/** Returns the names of the flows that the files of a configuration define. */
export function flowsOf(config: RailsConfig): readonly string[] {
  return filesOf(config).flatMap(({ text }) => Array.from(text.matchAll(FLOW), ([, name = ""]) => name.trim()));
}

function filesOf({ colang }: RailsConfig): readonly SourceFile[] {
  return colang.filter(({ isGenerated }) => isGenerated !== true).map(({ source }) => source);
}
