import { advance } from "../../colang1/engine/advance.js";
import { createState } from "../../colang1/engine/state.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { generateBotMessage } from "./generation/bot-message.js";
import { generateNextStep } from "./generation/next-step.js";
import { stepServices, type StepServices } from "./generation/services.js";
import { generateUserIntent } from "./generation/user-intent.js";
import type { TurnMessage } from "../../turn/options.js";
import { actionContext } from "./call-services.js";
import { runAction } from "./run-action.js";
import type { BotUtterance, CanonicalForm, NextStep } from "../dialog-results.js";
import type { Turn } from "../../turn/turn.js";
import { conversationRun, type Run, type RuntimeServices } from "./run.js";
import { openStageTurn, type StageInput } from "../stage-turn.js";

interface Stage {
  readonly run: Run;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly services: StepServices;
}

/** The surroundings of a stage that is used on its own: the same that a pipeline action has. */
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
export async function canonicalForm(
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
export async function nextStep(
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
export async function botMessage(
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
