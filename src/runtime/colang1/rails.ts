import { ColangRuntimeError } from "../../diagnostics/errors.js";
import { withVariables } from "../../engine/plain-data.js";
import { createState } from "../../colang1/engine/state.js";
import { flowEffects } from "../../colang1/flow-effects.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { findLibraryFlow, LIBRARY_RAILS } from "../../library/manifest.js";
import { stageByReads, type RailTraits } from "../../rails/plan.js";
import { andThen, type MaybePromise } from "../../engine/async.js";
import type { Entry } from "../../turn/decision.js";
import type { RailDialect, RailRun, RailStart, RailScope } from "../../rails/rail-dialect.js";
import { runAction } from "./run-action.js";
import { DirectRail, runsDirectly } from "./direct-rail.js";
import type { Turn } from "../../turn/turn.js";
import { runLoop } from "./run-loop.js";
import { isOurFlow, type Perform, Run, type RuntimeServices, REMOVE_LAST } from "./run.js";
import { fileName1 } from "../../library/written-flows.js";
import { REWRITTEN } from "../../rails/rail-decision.js";
import type { CompiledFlow, Colang1Program } from "../../colang1/elements.js";
import { needsEvidence, statedScope, railTraits } from "../rail-facts.js";
import type { ActionRegistry } from "../../actions/registry.js";

/** Rails in Colang 1.0. */
export function colang1Rails(services: () => RuntimeServices): RailDialect {
  return {
    has: (flow) => services().flows.has(flow),
    get names() {
      return services().flows.keys();
    },
    needsEvidence,
    stageOf: (reference) => {
      const { program } = services();
      const { id } = parseFlowReference(reference);
      const listed = findLibraryFlow(id)?.flow.stage;
      if (listed !== undefined && listed !== "dialog") return listed;
      const flow = program.flows.find((candidate) => candidate.id === id);
      return flow === undefined ? undefined : stageByReads(flowEffects(program, id, flow.parameters).reads);
    },
    scopeOf: (reference) => scopeOfRail(services(), reference),
    rewritesResponse: (reference) => rewritesResponse(services(), reference),
    emitsReviewedText: () => emitsReviewedText(services()),
    refusal: (context) => services().generation.messages.render("refuse to respond", context),
    isWritten: (text) => services().writtenTexts.has(text),
    run: (start) => runRailFlow(services(), start),
  };
}

function runRailFlow(services: RuntimeServices, start: RailStart): MaybePromise<RailRun> {
  const flow = services.flows.get(start.flow);
  // INVARIANT: a rail without a flow checks nothing, so it fails.
  if (flow === undefined) {
    throw new ColangRuntimeError(`the rail \`${start.flow}\` has no flow`, { code: "RL-104", flow: start.flow });
  }
  // Declared parameters that the reference does not set are null, whatever a variable of that name holds.
  const params: Record<string, string | null> = {};
  for (const name of flow.parameters) params[name] = null;
  for (const { name, value } of start.parameters) params[name] = value;
  const { request } = start;
  const triggered = triggeredBy(request.stage, start.flow);
  const context = withVariables(request.context, triggered);
  const first = { type: "start_flow", flow_id: start.flow, params };
  const begin = (turn: Turn, perform: Perform): { readonly run: Run; readonly end: MaybePromise<void> } => {
    const run = createRailRun(services, start, { turn, context, perform });
    return { run, end: runLoop(services, run, [first]) };
  };
  const runOnEngine = (perform: Perform): MaybePromise<RailRun> => {
    const { run, end } = begin(request.turn, perform);
    return andThen(end, () => railRunOf(services, start, run));
  };
  if (!runsDirectly(services, start)) return runOnEngine(runAction);
  const railContext = Object.keys(params).length === 0 ? context : withVariables(context, params);
  const direct = new DirectRail(services, start, {
    flow,
    context: railContext,
    replay: (...how) => begin(...how).run.events,
  });
  return andThen(direct.run(), (passed) =>
    passed ? passedRun(direct.context) : runOnEngine(direct.withResults(runAction)),
  );
}

const NO_VARIABLES = {};

/** The variable that names the rail being run. */
function triggeredBy(stage: RailStart["request"]["stage"], flow: string): Readonly<Record<string, string>> {
  if (stage === "input") return { triggered_input_rail: flow };
  return stage === "output" ? { triggered_output_rail: flow } : NO_VARIABLES;
}

/** The run of a rail that passed without output. */
function passedRun(context: RailRun["context"]): RailRun {
  return { context, isBlocked: false, utterances: [], entries: [] };
}

function railRunOf(services: RuntimeServices, start: RailStart, run: Run): RailRun {
  const utterances: string[] = [];
  for (const { type, script } of run.events) {
    if (type === "StartUtteranceBotAction") utterances.push(String(script ?? ""));
  }
  const continues = services.flows.get(start.flow)?.continues === true;
  const spoke = utterances.length > 0 && !continues;
  const isBlocked = run.stopped || run.exception !== undefined || spoke;
  return {
    context: run.state.context,
    isBlocked,
    utterances,
    exception: run.exception,
    entries: utteranceEntries(run.events, isBlocked),
  };
}

function createRailRun(
  services: RuntimeServices,
  { request, flow, config, cancellation, notes }: RailStart,
  { turn, context, perform }: Pick<Run, "turn" | "context" | "perform">,
): Run {
  return new Run({
    turn,
    scope: "rail",
    state: createState(services.program, context, { scope: "rail", limits: services.limits }),
    past: request.past,
    pastMessages: request.pastMessages,
    config,
    cancellation,
    perform,
    rail: { name: flow, notes },
  });
}

/** A rail's intents and actions are only logged; its utterances, masked texts and exceptions reach the conversation. */
function utteranceEntries(events: readonly GuardrailsEvent[], blocked: boolean): Entry[] {
  const entries: Entry[] = [];
  for (const event of events) {
    const { type } = event;
    if (type === "BotIntent") {
      if (event["intent"] !== "stop") entries.push({ note: event });
    } else if (type === "StartUtteranceBotAction" || type === "mask_prev_user_message") entries.push(event);
    else if (blocked && type.endsWith("Exception")) entries.push(event);
  }
  return entries;
}

const LIBRARY_FILES: ReadonlySet<string> = new Set(LIBRARY_RAILS.map(fileName1));

/** Flows never change after a runtime is created. */
const knownScopes = new WeakMap<RuntimeServices, Map<string, RailScope>>();

/**
 * Scope of a listed output rail: as stated by its flow (`meta {"stream": "word"}`), by the library, or derived from
 * what its flow does. INVARIANT: a rail that may rewrite the response or speak, and states no scope, reviews the whole
 * response.
 */
function scopeOfRail(services: RuntimeServices, reference: string): RailScope {
  let scopes = knownScopes.get(services);
  if (scopes === undefined) knownScopes.set(services, (scopes = new Map()));
  let scope = scopes.get(reference);
  if (scope === undefined) scopes.set(reference, (scope = findScope(services, reference)));
  return scope;
}

function findScope(services: RuntimeServices, reference: string): RailScope {
  const { id } = parseFlowReference(reference);
  const flow = services.flows.get(id);
  if (flow === undefined) return "answer";
  if (flow.stream !== undefined) return statedScope(flow.stream);
  const listed = LIBRARY_FILES.has(flow.location.file) ? findLibraryFlow(id) : undefined;
  if (listed !== undefined) return listed.flow.stream ?? "window";
  const { isKnown, writes } = flowEffects(services.program, id, flow.parameters);
  return flow.continues || !isKnown || writes.has(REWRITTEN.output) ? "answer" : "window";
}

/** Returns true if the rail is known to rewrite the response. */
function rewritesResponse(services: RuntimeServices, reference: string): boolean {
  const { id } = parseFlowReference(reference);
  const flow = services.flows.get(id);
  if (flow === undefined) return false;
  const scope = scopeOfRail(services, reference);
  if (scope === "word" || scope === "line") return true;
  const { isKnown, writes } = flowEffects(services.program, id, flow.parameters);
  return isKnown && writes.has(REWRITTEN.output);
}

/** Flows between a response and its reader. */
const STATIONS = ["generate bot message", "process bot message", "run output rails"];

/** Events by which a flow can affect a response before it is emitted. */
const ANSWER_EVENTS: ReadonlySet<string> = new Set([
  "BotMessage",
  "StartOutputRails",
  "StartOutputRail",
  "OutputRailFinished",
  "OutputRailsFinished",
]);

const emitsReviewed = new WeakMap<RuntimeServices, boolean>();

/**
 * Returns true if a response that passed its output rails is emitted unchanged. INVARIANT: if a flow of the
 * configuration intervenes or retracts utterances, only the end of the turn shows what the user gets, so nothing is
 * released earlier.
 */
function emitsReviewedText(services: RuntimeServices): boolean {
  const known = emitsReviewed.get(services);
  if (known !== undefined) return known;
  const { flows, program } = services;
  const stands = STATIONS.every((id) => isOurFlow(flows.get(id)));
  const takesBack = Object.values(program.botMessages).some((texts) =>
    texts.some((text) => text.trim() === REMOVE_LAST),
  );
  const result = stands && !takesBack && !program.flows.some((flow) => interferes(flow));
  emitsReviewed.set(services, result);
  return result;
}

function interferes(flow: CompiledFlow): boolean {
  if (isOurFlow(flow)) return false;
  return flow.elements.some((element) => {
    if (element.kind === "Match") {
      return element.matchers.some((matcher) => matcher.kind === "Event" && ANSWER_EVENTS.has(matcher.type));
    }
    return element.kind === "Say" && element.content.type === "literal" && element.content.text.trim() === REMOVE_LAST;
  });
}

/** Returns the traits of Colang 1.0 rails, by reference. */
export function colang1Traits(program: Colang1Program, registry: ActionRegistry): (rail: string) => RailTraits {
  // Only system flows run while rails do.
  const awaited = awaitedEvents(program.flows.filter(({ tier }) => tier === "system"));
  return (reference) => {
    const { id, parameters } = parseFlowReference(reference);
    const flow = program.flows.find((candidate) => candidate.id === id);
    const knownParameters = [...(flow?.parameters ?? []), ...parameters.map(({ name }) => name)];
    const { reads, writes, isKnown, actions, creates, emitsText } = flowEffects(program, id, knownParameters);
    const event = [...creates].find((type) => awaited.has(type));
    const effect =
      event !== undefined
        ? `a flow waits for the event \`${event}\` that it creates`
        : emitsText && flow?.continues === true
          ? "it speaks and continues"
          : undefined;
    return railTraits(registry, { reads, writes, isKnown, actions: [...actions], effect });
  };
}

/** Returns the event types that some of the flows wait for. */
export function awaitedEvents(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  const elements = flows.flatMap((flow) => flow.elements);
  const matchers = elements.flatMap((element) => (element.kind === "Match" ? element.matchers : []));
  return new Set(matchers.flatMap((matcher) => (matcher.kind === "Event" ? [matcher.type] : [])));
}
