import { splitActionEvent } from "../../colang2/event-names.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { Turn } from "../../turn/turn.js";
import { hasStatus, summarizeDecisions, type RailDecision } from "../../turn/decision.js";
import type { TurnOptions } from "../../turn/options.js";
import { reportProblem } from "../../turn/problem-log.js";
import type { TurnResult } from "../../turn/result.js";
import { type Redactor, createRedactor } from "../../turn/redactor.js";
import { type TurnParts, turnResult } from "../guarded-response.js";
import { callsOf } from "./tools/tool-calls.js";
import { historyEvents, type Colang2Run, utterancesOf, type Colang2Services } from "./run.js";
import { VALUE_TABLES } from "../../colang2/engine/state/records.js";
import { textsIn } from "../../turn/redact-data.js";
import type { FlowExplanation, TraceEvent } from "../../engine/explain.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { explainFlow } from "../../colang2/engine/explain/explain-flow.js";
import { unknownFlow } from "../rail-facts.js";

/** Decides how a turn ended. */
export function endTurn(
  services: Colang2Services,
  run: Colang2Run,
  ended: { readonly failed: boolean; readonly output: readonly GuardrailsEvent[] },
) {
  const { turn } = run;
  const exception = run.events.findLast(({ type }) => type.endsWith("Exception"));
  const verdict = summarizeDecisions(turn.decisions, services.onError !== "allow");
  const emitted = exception === undefined ? utterancesOf(run.events) : [];
  if (emitted.length + ended.output.length === 0 && exception === undefined && !verdict.blocked)
    noteMain(services, turn);
  // A silent failure would look like a response.
  const isFailed = ended.failed || (emitted.length === 0 && !verdict.blocked && turn.problems.length > 0);
  const reviewed = verdict.blocked ? "blocked" : "answered";
  const status: TurnResult["status"] = exception !== undefined ? "exception" : isFailed ? "failed" : reviewed;
  // A refused tool call that no flow mentions is refused to the user.
  const refused = emitted.length === 0 && status === "blocked" ? run.toolRefusal : undefined;
  const kept = refused === undefined ? emitted : [refused];
  const { internal_error, no_answer } = services.config.settings.messages;
  const utterances = status === "failed" ? [internal_error] : kept;
  const made = status === "answered" ? turn.generated : undefined;
  // Flows receive a replacement for an empty response.
  const isResponse =
    made !== undefined && turn.rewritesTo(made.text.trim() === "" ? no_answer : made.text) === utterances.join("\n");
  return { status, utterances, exception, verdict, generated: isResponse ? made : undefined };
}

/**
 * Builds the result for the caller.
 *
 * @param visible - events of the turn and events for the application, without what rails blocked or rewrote
 */
export function buildColang2Result(
  services: Colang2Services,
  run: Colang2Run,
  ended: ReturnType<typeof endTurn>,
  visible: Pick<TurnParts, "events" | "redactor" | "state"> & { readonly output: readonly GuardrailsEvent[] },
): TurnResult {
  const { turn } = run;
  const { status, utterances, exception, verdict, generated } = ended;
  const { events, redactor, state } = visible;
  return turnResult(services, turn, {
    status,
    utterances,
    exception,
    verdict,
    generated,
    events,
    redactor,
    state,
    userMessages: [...(run.userSide?.() ?? turn.readTexts)],
    variables: turn.options.outputVars === undefined ? NO_VARIABLES : run.engine.globals,
    more: {
      ...delegatedActions(services, turn.options, { output: visible.output, status: ended.status }),
      // INVARIANT: a block also drops what was found for the turn.
      ...(run.sources === undefined || verdict.blocked ? {} : { sources: run.sources }),
    },
    history: () => [...run.past(), ...historyEvents(visible.events)],
    emptyReason: () => emptyReason(turn, visible.output),
    why: (flow) => explainColang2Flow(services, run, turn, flow),
  });
}

/** Reason of an empty reply. Names the actions that the application has to run: a flow may wait for their results. */
function emptyReason({ decisions }: Turn, output: readonly GuardrailsEvent[]): string {
  if (hasStatus(decisions, "blocked")) return "a rail blocked without saying anything";
  const actions = actionRequests(output).map(({ type }) => `\`${type.slice("Start".length)}\``);
  const requested =
    actions.length === 0 ? "" : `; not run here, but requested from the application: ${actions.join(", ")}`;
  return `no flow said anything${requested}`;
}

function actionRequests(output: readonly GuardrailsEvent[]): readonly GuardrailsEvent[] {
  return output.filter(({ type }) => splitActionEvent(type)?.member === "Start");
}

/** Variables of a result that exposes none. */
const NO_VARIABLES: Readonly<Record<string, unknown>> = {};

/** Reports a `main` that did not end by itself, since the bot stays silent afterwards. */
function noteMain(services: Colang2Services, turn: Turn): void {
  const { trace, problems } = turn;
  const end = trace.findLast((entry) => entry.type === "aborted" && entry.flow === "main");
  if (problems.length > 0 || end?.type !== "aborted") return;
  // INVARIANT: only the kind of the reason is shown; the rest may quote what a rail blocked.
  const [reason = ""] = end.why.split(":");
  const meaning = MAIN_ENDS.get(reason);
  if (meaning === undefined) return;
  const problem = { code: "C2-407", message: `flow \`main\` cannot go on: ${meaning}`, flow: "main" };
  reportProblem(services, turn, problem, { flow: "main" });
}

const MAIN_ENDS: ReadonlyMap<string, string> = new Map([
  ["impossible", "what it waits for can no longer happen"],
  ["conflict", "another flow acted instead"],
  ["budget", "the events of this turn are used up"],
  ["invalid_arguments", "the arguments of a flow do not fit"],
  ["scope_ended", "its parent has ended"],
]);

/** Actions for the application, and all other emitted events. */
function delegatedActions(
  services: Colang2Services,
  options: TurnOptions,
  { output, status }: { readonly output: readonly GuardrailsEvent[]; readonly status: TurnResult["status"] },
): Pick<TurnResult, "actions" | "toolCalls" | "events"> {
  const actions = actionRequests(output);
  const events = output.filter((event) => !actions.includes(event) && !event.type.startsWith("UtteranceBotAction"));
  const calls = status === "answered" ? callsOf(services, output, options) : [];
  return {
    ...(actions.length === 0 ? {} : { actions }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(events.length === 0 ? {} : { events }),
  };
}

/** Texts that must not appear in anything stored or emitted after a turn. */
export interface HiddenTexts {
  readonly blocked: ReadonlySet<string>;
  /** Finds quotes of all these texts; undefined if nothing was blocked or rewritten. */
  readonly redactor: Redactor | undefined;
  /** Returns the text without blocked parts and with the rails' rewrites. */
  readonly replace: (text: string) => string;
}

/** Every form in which rails saw the texts they blocked or rewrote. */
export function hiddenTextsOf(turn: Turn, texts: readonly string[], utterances: readonly string[]): HiddenTexts {
  const blocked = new Set<string>(texts);
  for (const stage of ["input", "output", "retrieval"] as const) {
    const decisions = turn.decisions.filter((decision) => decision.stage === stage);
    if (!hasStatus(decisions, "blocked", "error")) continue;
    for (const text of turn.reviewed[stage]) if (!utterances.includes(text)) blocked.add(text);
  }
  blocked.delete("");
  const changes = turn.rewrites.map(({ from }) => ({ text: from, replacement: turn.rewritesTo(from) }));
  const rewritten = [...changes, ...turn.hidden];
  const hidden = createRedactor([...blocked], { shown: utterances });
  // Rails may keep part of a rewritten text on purpose, such as names that a later rail restores.
  const changed = createRedactor(rewritten, { parts: false });
  return {
    blocked,
    redactor: createRedactor([...blocked, ...rewritten], { shown: utterances }),
    replace: (text) => (hidden?.quotes(text) === true ? "" : (changed?.redact(text) ?? text)),
  };
}

/** Returns the value without these texts. A blocked text becomes empty, so that a state keeps its shape. */
export function hideTexts<Value>(value: Value, { redactor, replace }: HiddenTexts): Value {
  return redactor === undefined ? value : (clean(value, replace) as Value);
}

/** INVARIANT: states and events are plain data of bounded depth, since the engine creates them. */
function clean(value: unknown, replaced: (text: string) => string): unknown {
  if (typeof value === "string") return replaced(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => clean(item, replaced));
  const entries = Object.entries(value).map(
    ([key, item]) => [key, NAMES.test(key) ? item : clean(item, replaced)] as const,
  );
  return Object.fromEntries(entries);
}

/** Keys whose values are identifiers. */
const NAMES = /^(?:\$|type|uid|id|flow_id|action_name|event_created_at|.*_uid)$/;

/** Parts of a stored state that hold program values; all other texts are names and identifiers. */
const VALUES: ReadonlySet<string> = new Set([...VALUE_TABLES, "returnValue", "shared", "history"]);

/** Values that are records: their own program values are in tables again. */
const RECORDS: ReadonlySet<unknown> = new Set(["flow", "action", "event"]);

/**
 * Returns the stored state of an engine without these texts. A part without such a text stays the same object.
 *
 * @param stored - the stored conversation before the turn; its texts stay
 */
export function hideInState<State>(state: State, { redactor, replace }: HiddenTexts, stored?: unknown): State {
  if (redactor === undefined) return state;
  const known = new Set(textsIn(stored));
  const clear = (text: string): string => (known.has(text) ? text : replace(text));
  const walk = (value: unknown, isValue: boolean): unknown => {
    if (typeof value === "string") return isValue ? clear(value) : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const items = (value as unknown[]).map((item) => walk(item, isValue));
      return items.every((item, at) => item === value[at]) ? value : items;
    }
    const holdsValues = isValue && !RECORDS.has((value as { readonly $?: unknown }).$);
    const fields: Readonly<Record<string, unknown>> = value as Readonly<Record<string, unknown>>;
    const entries = Object.entries(fields).map(([key, item]): [string, unknown] =>
      holdsValues && NAMES.test(key) ? [key, item] : [key, walk(item, holdsValues || VALUES.has(key))],
    );
    return entries.every(([key, item]) => item === fields[key]) ? value : Object.fromEntries(entries);
  };
  return walk(state, false) as State;
}

/**
 * Explains why a flow acted or did not, and what it waits for. Listed rails run with their own state, so only their
 * decisions are shown.
 *
 * @throws DiagnosticError `CO-204` if no flow has that name
 */
export function explainColang2Flow(
  services: Colang2Services,
  { engine }: Pick<Colang2Run, "engine">,
  { trace, decisions }: { readonly trace: readonly TraceEvent[]; readonly decisions: readonly RailDecision[] },
  flow: string,
): FlowExplanation {
  if (!engine.state.definitions.has(flow)) throw unknownFlow(services.program.flows, flow);
  const explained = explainFlow(trace, flow, engine.state);
  const judged = decisions.flatMap(({ rail, stage, status, reason }) => {
    if (parseFlowReference(rail).id !== flow) return [];
    const why = reason === undefined || status === "passed" ? "" : ` (${reason})`;
    return [`it ran as a rail of the stage \`${stage}\`: ${status}${why}`];
  });
  if (judged.length === 0) return explained;
  const isAlone = explained.outcome === "unseen";
  return { flow, outcome: "decided", reasons: [...(isAlone ? [] : explained.reasons), ...judged] };
}
