import { RAIL_VARIABLES } from "../../../engine/context-variables.js";
import { EngineConversation, type HostedFlow } from "../../../colang2/engine/conversation.js";
import type { Colang2Program, CompiledFlow } from "../../../colang2/program.js";
import { ActionError, ColangRuntimeError } from "../../../diagnostics/errors.js";
import { REWRITTEN } from "../../../rails/rail-decision.js";
import type { RailRun, RailStart } from "../../../rails/rail-dialect.js";
import { type HostBatch } from "../host-loop.js";
import { type Colang2Run, utterancesOf, type Colang2Services } from "../run.js";
import { engineSettings, localActions, openLoop } from "../stored-conversation.js";
import { andThen, type MaybePromise } from "../../../engine/async.js";
import { withVariables } from "../../../engine/plain-data.js";
import { DirectRail, runsDirectly } from "./direct-rail.js";

/**
 * Runs a rail: a flow with its own state, over a copy of the variables. A failing flow blocks, and the bot's utterances
 * become the refusal; an event named `…Exception` blocks however the flow ends.
 *
 * @throws ColangRuntimeError if one of its expressions fails or it waits for something impossible; ActionError if one
 * of its actions fails
 */
export function runRailFlow(services: Colang2Services, start: RailStart): MaybePromise<RailRun> {
  const flow = runsDirectly(start) ? findFlow(services, start.flow) : undefined;
  if (flow === undefined) return runOnEngine(services, start, undefined);
  const context = contextOf(start);
  const direct = new DirectRail(services, start, {
    flow,
    context,
    parameters: parametersOf(services, start),
    open: () => openEngine(services, context),
  });
  return andThen(direct.run(), (passed) =>
    passed ? passedRun(start, direct.variables) : runOnEngine(services, start, direct),
  );
}

/** The run of a rail that passed without output. */
function passedRun({ request }: RailStart, variables: RailRun["context"]): RailRun {
  return { context: contextAfter(request, variables, []), isBlocked: false, utterances: [], entries: [] };
}

/** @param direct - the rail as run without the engine so far */
async function runOnEngine(
  services: Colang2Services,
  start: RailStart,
  direct: DirectRail | undefined,
): Promise<RailRun> {
  const { flow, notes } = start;
  const run = createRun(services, start);
  const local = localActions(services, run);
  const loop = openLoop(services, run, { local: direct === undefined ? local : direct.withResults(run, local) });
  let hosted: (() => HostedFlow) | undefined;
  try {
    const begin = () => {
      const started = run.engine.start(flow, parametersOf(services, start));
      hosted = started.flow;
      return started.round;
    };
    const batch = await loop.perform(begin, { signal: start.cancellation, blocking: true });
    if (hosted === undefined)
      throw new ColangRuntimeError(`the rail \`${flow}\` did not start`, { code: "C2-401", flow });
    for (const entry of batch.trace) {
      if (entry.type === "decided" && entry.winner.flow === flow) notes.steps.push(entry.winner.step);
    }
    // Literal texts of flows; a text with interpolated values does not count.
    for (const text of utterancesOf(run.events)) if (services.writtenTexts.has(text)) notes.written.add(text);
    return railRunOf(start, run, batch, hosted());
  } finally {
    loop.close();
  }
}

function createRun(services: Colang2Services, start: RailStart): Colang2Run {
  const { request, flow, config, cancellation, notes } = start;
  return {
    turn: request.turn,
    scope: "rail",
    rail: { name: flow, notes },
    config,
    cancellation,
    engine: openEngine(services, contextOf(start)),
    past: request.past,
    events: [],
    released: new Set(),
  };
}

function openEngine(services: Colang2Services, context: RailRun["context"]): EngineConversation {
  return new EngineConversation(services.program, { context, ...engineSettings(services), prefix: "rail" });
}

const knownFlows = new WeakMap<Colang2Program, ReadonlyMap<string, CompiledFlow>>();

function findFlow({ program }: Pick<Colang2Services, "program">, id: string): CompiledFlow | undefined {
  let flows = knownFlows.get(program);
  if (flows === undefined) knownFlows.set(program, (flows = new Map(program.flows.map((flow) => [flow.id, flow]))));
  return flows.get(id);
}

/** Variables of the request, plus the one that names the rail. */
function contextOf({ request: { stage, context }, flow }: RailStart): RailRun["context"] {
  if (stage !== "input" && stage !== "output") return context;
  return withVariables(context, { [`triggered_${stage}_rail`]: flow });
}

/**
 * Returns the parameters of the reference, and the text under the parameter names of `input rails` and `output rails`.
 */
function parametersOf(services: Colang2Services, start: RailStart): Readonly<Record<string, unknown>> {
  const { context } = start.request;
  const texts: Readonly<Record<string, unknown>> = {
    input_text: context["user_message"] ?? null,
    output_text: context["bot_message"] ?? null,
  };
  const declared = findFlow(services, start.flow)?.parameters ?? [];
  const implied = declared.flatMap(({ name }) => (Object.hasOwn(texts, name) ? [[name, texts[name]] as const] : []));
  return Object.fromEntries([...implied, ...start.parameters.map(({ name, value }) => [name, value] as const)]);
}

function railRunOf({ request, flow }: RailStart, run: Colang2Run, batch: HostBatch, hosted: HostedFlow): RailRun {
  if (batch.overflow !== undefined) throw batch.overflow;
  refuseOpenEnd(batch, hosted, flow);
  const utterances = utterancesOf(run.events);
  const exception = run.events.findLast(({ type }) => type.endsWith("Exception"));
  const isBlocked = hosted.status === "failed" || exception !== undefined;
  const after = contextAfter(request, run.engine.globals, utterances);
  // The conversation receives utterances and events of the rail.
  const entries = run.events.filter(({ type }) => {
    if (type === "UtteranceBotActionStarted" || type === "UtteranceBotActionFinished") return true;
    if (type.endsWith("Exception")) return isBlocked;
    return !type.includes("Action") && type !== "ContextUpdate" && type !== "ColangError";
  });
  return { context: after, isBlocked, utterances, exception, entries };
}

/** The variables after a rail, without those that it may not set. */
function contextAfter(
  { context: before, stage }: RailStart["request"],
  globals: RailRun["context"],
  utterances: readonly string[],
): RailRun["context"] {
  const after = keepSame(before, globals);
  // An utterance also sets these, which is not a rewrite.
  const text = REWRITTEN[stage];
  if (text === "bot_message" && after[text] === utterances.at(-1)) after[text] = before[text] ?? null;
  if (text !== "bot_message") restore(after, before, "bot_message");
  restore(after, before, "last_bot_message");
  for (const name of RAIL_VARIABLES) restore(after, before, name);
  return after;
}

/** INVARIANT: an unfinished rail has judged nothing. */
function refuseOpenEnd({ trace, output }: HostBatch, hosted: HostedFlow, flow: string): void {
  const failure = trace.find((entry) => entry.type === "failed");
  if (hosted.status === "failed" && failure?.type === "failed") {
    const { code, message, location } = failure;
    throw new ColangRuntimeError(`${message} in flow \`${failure.flow}\``, { code, flow: failure.flow, location });
  }
  if (hosted.status !== "running") return;
  const request = output.find(({ type }) => type.startsWith("Start"));
  if (request !== undefined) {
    const action = request.type.slice("Start".length);
    throw new ActionError(`the rail \`${flow}\` waits for \`${action}\`, which nothing here performs`, { action });
  }
  throw new ColangRuntimeError(`the rail \`${flow}\` waits for an event, but rails receive none`, {
    code: "C2-401",
    flow,
  });
}

/** Keeps the identity of variables with unchanged values, although they went through the engine. */
function keepSame(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(after)) {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    const isSame = known !== undefined && (known === value || JSON.stringify(known) === JSON.stringify(value));
    kept[name] = isSame ? known : value;
  }
  return kept;
}

function restore(after: Record<string, unknown>, before: Readonly<Record<string, unknown>>, name: string): void {
  if (Object.hasOwn(before, name)) after[name] = before[name];
  else delete after[name];
}
