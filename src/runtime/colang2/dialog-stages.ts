import { splitActionEvent } from "../../colang2/event-names.js";
import { EngineConversation, type Round } from "../../colang2/engine/conversation.js";
import type { CompiledFlow } from "../../colang2/program.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { TraceEvent } from "../../engine/explain.js";
import { generateFlowContinuation } from "./generation/generated-flows.js";
import { colang2Step, type Colang2Step } from "./generation/services.js";
import { RunActionContext } from "../action-context.js";
import type { TurnMessage } from "../../turn/options.js";
import type { Turn } from "../../turn/turn.js";
import { type NextStep, openStageTurn, type StageInput } from "../dialect-host.js";
import { callServices } from "./call-services.js";
import type { HostLoop } from "./host-loop.js";
import { isLibraryModule } from "./compile/library-place.js";
import type { LocalAction } from "./local-actions.js";
import { type Colang2Run, type Colang2Services, conversationRun, logEntriesOf } from "./run.js";
import { engineSettings, openLoop } from "./stored-conversation.js";

/** A fresh conversation in which a single dialog stage runs. */
interface OpenStage {
  readonly run: Colang2Run;
  readonly loop: HostLoop;
  readonly step: Colang2Step;
}

/**
 * Finds the bot's next step after an intent: the first bot flow that starts, or the first action. If no flow waits for
 * the intent, a model decides.
 *
 * @throws ModelError if there is no model or its call fails
 */
export function colang2NextStep(
  services: Colang2Services,
  turn: Turn,
  intent: string,
  history: readonly TurnMessage[],
): Promise<NextStep> {
  return withStage(services, turn, { history, context: {} }, async ({ run, loop, step }) => {
    const before = run.events.length;
    const how = { signal: run.cancellation, blocking: false };
    let first: Round | undefined;
    const { trace, output } = await loop.perform(() => (first = run.engine.finishFlow(intent)), how);
    const nextStep = stepIn(run, trace, [...(first?.events ?? []), ...run.events.slice(before), ...output]);
    if (nextStep !== undefined) return nextStep;
    run.engine.remember([{ name: "UserIntentLog", flow: intent, parameter: null }]);
    const { name } = await generateFlowContinuation(0, step);
    return { intent: name.replace(/^_dynamic_\w{8} /, ""), source: "llm" };
  });
}

/** The flows' first effect: a flow that states the bot's intent, otherwise a requested action. */
function stepIn(
  { engine }: Colang2Run,
  trace: readonly TraceEvent[],
  events: readonly GuardrailsEvent[],
): NextStep | undefined {
  const started = trace.find(
    (entry) => entry.type === "started" && isBotIntent(engine.state.definitions.get(entry.flow)),
  );
  if (started?.type === "started") {
    const { flow: intent, by } = started;
    return { intent, source: "flow", ...(isOwn(engine.state.definitions.get(by)) ? { flow: by } : {}) };
  }
  const request = events.map(({ type }) => splitActionEvent(type)).find((parts) => parts?.member === "Start");
  const decided = trace.find((entry) => entry.type === "decided");
  const flow = decided?.type === "decided" ? flowOf(engine, decided.winner) : undefined;
  return request === undefined || flow === undefined ? undefined : { action: request.action, source: "flow", flow };
}

/** The nearest configured flow on whose behalf this one acts; undefined if the library continues by calling a model. */
function flowOf(
  { state }: EngineConversation,
  { flow, callers = [] }: { readonly flow: string; readonly callers?: readonly string[] },
): string | undefined {
  for (const id of [flow, ...callers]) {
    const definition = state.definitions.get(id);
    if (definition?.module === "llm") return undefined;
    if (isOwn(definition)) return id;
  }
  return undefined;
}

function isOwn(flow: CompiledFlow | undefined): boolean {
  return flow?.module.endsWith(".co") === true;
}

/** `bot say` and the like are actions rather than intents. */
function isBotIntent(flow: CompiledFlow | undefined): boolean {
  if (flow === undefined || Object.hasOwn(flow.meta, "bot_action")) return false;
  if (Object.hasOwn(flow.meta, "bot_intent")) return flow.meta["bot_intent"] !== false;
  return flow.id.startsWith("bot ") && (isOwn(flow) || isLibraryModule(flow.module));
}

/** INVARIANT: nothing has effects: actions start but never finish, except for bot utterances. */
export async function withStage<Result>(
  services: Colang2Services,
  turn: Turn,
  stageInput: StageInput,
  work: (stage: OpenStage) => Promise<Result>,
): Promise<Result> {
  const { variables: context, past } = openStageTurn(turn, stageInput);
  const engine = new EngineConversation(services.program, { context, ...engineSettings(services), prefix: "stage" });
  engine.remember(logEntriesOf(past));
  const run = conversationRun(turn, engine, () => past);
  const loop = openLoop(services, run, { local: { launch } });
  try {
    await loop.run([], { signal: run.cancellation, blocking: false });
    const views = {
      context: engine.globals,
      state: () => engine.state,
      events: () => [...past, ...run.events],
      services: () => callServices(services, run, {}),
    };
    const action = new RunActionContext(services, run, views, { calls: [], own: run.cancellation });
    const step = colang2Step(services.generation, action, "a stage of the dialog");
    return await work({ run, loop, step });
  } finally {
    loop.close();
  }
}

function launch({ type, action_uid }: GuardrailsEvent): LocalAction | undefined {
  if (type === "StartUtteranceBotAction") return undefined;
  const end = { is_success: true, return_value: { passed: true, refusal: null } };
  const first =
    type === "StartRunOutputRailsAction" ? [{ type: "RunOutputRailsActionFinished", action_uid, ...end }] : [];
  // A blocking wait would never end.
  return { done: new Promise(() => undefined), isAsync: true, first, stop: () => undefined };
}
