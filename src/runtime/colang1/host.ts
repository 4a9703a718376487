import { InputShapeError } from "../../diagnostics/errors.js";
import {
  type DialectHost,
  type FlowResult,
  type BotUtterance,
  type CanonicalForm,
  type NextStep,
  openStageTurn,
  type StageInput,
} from "../dialect-host.js";
import { type RuntimeServices, collectUtterances, conversationRun, type Run } from "./run.js";
import { runLoop } from "./run-loop.js";
import { takeTurn } from "./take-turn.js";
import { createState } from "../../colang1/engine/state.js";
import { assignContext, readMessages, userMessages, historyEvents } from "../../turn/conversation.js";
import { summarizeDecisions } from "../../turn/decision.js";
import type { TurnMessage } from "../../turn/options.js";
import { runAction } from "./run-action.js";
import type { Turn } from "../../turn/turn.js";
import { unknownFlow } from "../rail-facts.js";
import { hideTexts } from "./hide-texts.js";
import { advance } from "../../colang1/engine/advance.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { generateBotMessage } from "./generation/bot-message.js";
import { generateNextStep } from "./generation/next-step.js";
import { stepServices, type StepServices } from "./generation/services.js";
import { generateUserIntent } from "./generation/user-intent.js";
import { actionContext } from "./call-services.js";

/** Runs flows in Colang 1.0. */
export function colang1Host(services: RuntimeServices): DialectHost {
  const { program } = services;
  return {
    services,
    stages: services,
    programHash: program.hash,
    warnings: services.warnings,
    hasDialog: Object.keys(program.userMessages).length > 0 || program.flows.some((flow) => flow.tier === "user"),
    hasMain: services.models.main !== undefined,
    hasInputFlow: false,
    takeTurn: (...turn) => takeTurn(services, ...turn),
    // In Colang 1.0 no flow waits for the result of a tool.
    awaits: () => false,
    openSession: () => {
      throw new InputShapeError(
        "`events()` needs a configuration in Colang 2.x; in Colang 1.0 pass events to `generate`, as messages of the role `event`",
      );
    },
    runFlow: (...call) => runSingleFlow(services, ...call),
    canonicalForm: (...call) => canonicalForm(services, ...call),
    nextStep: (...call) => nextStep(services, ...call),
    botMessage: (...call) => botMessage(services, ...call),
  };
}

/**
 * Runs one flow by name in a fresh conversation. Its messages pass the output rails like any other;
 * the intent at its head counts as said.
 *
 * @throws DiagnosticError `CO-204` when no flow has that name
 */
async function runSingleFlow(
  services: RuntimeServices,
  turn: Turn,
  flow: string,
  messages: readonly TurnMessage[],
  variables: Readonly<Record<string, unknown>>,
): Promise<FlowResult> {
  if (!services.flows.has(flow)) throw unknownFlow(services.program.flows, flow);
  const { options } = turn;
  const input = readMessages(messages);
  turn.userTexts = [...input.userTexts];
  turn.instructions = input.instructions;
  const text = input.userTexts.at(-1) ?? input.lastUser;
  const context: Record<string, unknown> = { ...input.context };
  assignContext(context, options.context);
  assignContext(context, variables);
  if (text !== undefined) Object.assign(context, { user_message: text, last_user_message: text });
  const past = [...historyEvents(input.earlier), ...userMessages(input.userTexts.slice(0, -1))];
  const state = createState(services.program, context, { scope: "conversation", limits: services.limits });
  const run = conversationRun(turn, state, { past: () => past, perform: runAction });
  if (text !== undefined) run.events.push({ type: "UserMessage", text });
  try {
    await runLoop(services, run, [{ type: "start_flow", flow_id: flow }]);
  } finally {
    turn.close();
  }
  const { events } = hideTexts(run, [], context);
  const blocked = summarizeDecisions(turn.decisions, services.onError !== "allow").blocked;
  return {
    messages: collectUtterances(run.events).map((content) => ({ role: "assistant", content })),
    variables: Object.fromEntries(Object.entries(run.state.context).filter(([name]) => !name.startsWith("_"))),
    events,
    status: run.failed
      ? "failed"
      : run.stopped || blocked
        ? "stopped"
        : run.state.instances.some((instance) => instance.flow === flow)
          ? "waiting"
          : "finished",
  };
}

interface Stage {
  readonly run: Run;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly services: StepServices;
}

/** The environment of a stage that is used on its own: the same that a pipeline action has. */
function openStage(services: RuntimeServices, opened: Turn, given: StageInput): Stage {
  const { turn, variables, past } = openStageTurn(opened, given);
  const state = createState(services.program, variables, { scope: "conversation", limits: services.limits });
  const run = conversationRun(turn, state, { past: () => past, perform: runAction });
  const action = actionContext(services, run, { calls: [], own: turn.cancellation });
  const step = stepServices(services.generation, action);
  // A stage on its own has no later ones to share a call with.
  const alone = { ...step, call: { ...step.call, merged: undefined } };
  return { run, events: past, context: action.context, services: alone };
}

async function withStage<Result>(stage: Stage, work: (stage: Stage) => Promise<Result>): Promise<Result> {
  try {
    return await work(stage);
  } finally {
    stage.run.turn.close();
  }
}

/** Utterance to canonical form: the first stage of the process. */
async function canonicalForm(
  services: RuntimeServices,
  turn: Turn,
  text: string,
  history: readonly TurnMessage[],
): Promise<CanonicalForm> {
  const opened = openStage(services, turn, { history, context: {}, userMessage: text });
  return withStage(opened, (stage) => {
    const events = [...stage.events, { type: "UserMessage", text }];
    return generateUserIntent({ text, events, context: stage.context }, stage.services);
  });
}

/** The action of the flow `generate next step`, under both of its names: no flow of the user had a step. */
const GENERATED_BY = new Set(["generate_next_step", "generate_next_steps"]);

/** Intent and history to the next step: a flow decides if one matches, else the model. */
async function nextStep(
  services: RuntimeServices,
  turn: Turn,
  intent: string,
  history: readonly TurnMessage[],
): Promise<NextStep> {
  return withStage(openStage(services, turn, { history, context: {} }), async (stage) => {
    const event: GuardrailsEvent = { type: "UserIntent", intent };
    const { events, trace } = advance(services.program, stage.run.state, event);
    const decided = trace.findLast((entry) => entry.type === "decided");
    const by = decided?.type === "decided" ? { flow: decided.winner.flow } : {};
    const step = events.find(({ type }) => type !== "ContextUpdate");
    if (step?.type === "BotIntent") return { intent: String(step["intent"]), source: "flow", ...by };
    const action = step?.type === "StartInternalSystemAction" ? String(step["action_name"]) : undefined;
    if (action !== undefined && !GENERATED_BY.has(action)) return { action, source: "flow", ...by };
    const next = await generateNextStep(
      { intent, events: [...stage.events, event], context: stage.context },
      stage.services,
    );
    return { ...(next.kind === "intent" ? { intent: next.intent } : {}), source: "llm" };
  });
}

/** Bot intent and context to the utterance. */
async function botMessage(
  services: RuntimeServices,
  turn: Turn,
  intent: string,
  { history, context }: StageInput,
): Promise<BotUtterance> {
  return withStage(openStage(services, turn, { history, context }), async (stage) => {
    const step: GuardrailsEvent = { type: "BotIntent", intent };
    const { text, source } = await generateBotMessage(
      { step, events: [...stage.events, step], context: stage.context },
      stage.services,
    );
    return { text, source };
  });
}
