import { advance } from "../colang1/engine/advance.js";
import { createState } from "../colang1/engine/state.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { generateBotMessage } from "../generation/bot-message.js";
import { generateNextStep } from "../generation/next-step.js";
import { stepServices, type StepServices } from "../generation/services.js";
import { generateUserIntent } from "../generation/user-intent.js";
import { historyEvents, readMessages } from "./conversation.js";
import type { TurnMessage, TurnOptions } from "./options.js";
import { actionContext, runAction } from "./run-action.js";
import type { BotUtterance, CanonicalForm, NextStep } from "./runtime-contract.js";
import type { Run } from "./run.js";
import type { RuntimeServices } from "./services.js";
import { Turn } from "./turn.js";

const NEVER = new AbortController().signal;

interface Stage {
  readonly run: Run;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly services: StepServices;
}

/** The surroundings of a stage that is used on its own: the same that a pipeline action has. */
function openStage(
  services: RuntimeServices,
  history: readonly TurnMessage[],
  context: Readonly<Record<string, unknown>>,
  options: TurnOptions,
): Stage {
  const input = readMessages(history);
  const past = [
    ...historyEvents(input.earlier),
    ...input.userTexts.map((text): GuardrailsEvent => ({ type: "UserMessage", text })),
  ];
  const variables = { ...input.context, ...options.context, ...context };
  const run: Run = {
    turn: new Turn({ options, limits: services.limits, clock: services.clock, userTexts: input.userTexts }),
    scope: "conversation",
    state: createState(services.program, variables, { scope: "conversation", limits: services.limits }),
    past: () => past,
    events: [],
    config: options.config ?? {},
    signal: options.config?.signal ?? NEVER,
    perform: runAction,
    stopped: false,
    failed: false,
  };
  const action = actionContext(services, run, []);
  return { run, events: past, context: action.context, services: stepServices(services.generation, action) };
}

/** Utterance to canonical form: the first stage of the process. */
export async function canonicalForm(
  services: RuntimeServices,
  text: string,
  history: readonly TurnMessage[],
  options: TurnOptions,
): Promise<CanonicalForm> {
  const stage = openStage(services, history, { user_message: text, last_user_message: text }, options);
  const events = [...stage.events, { type: "UserMessage", text }];
  return generateUserIntent({ text, events, context: stage.context }, stage.services);
}

/** Intent and history to the next step: a flow decides if one matches, else the model. */
export async function nextStep(
  services: RuntimeServices,
  intent: string,
  history: readonly TurnMessage[],
  options: TurnOptions,
): Promise<NextStep> {
  const stage = openStage(services, history, {}, options);
  const { events } = advance(services.program, stage.run.state, { type: "UserIntent", intent });
  const step = events.find((event) => event.type !== "ContextUpdate");
  const flow = typeof step?.["flow_id"] === "string" ? { flow: step["flow_id"] } : {};
  if (step?.type === "BotIntent") return { intent: String(step["intent"]), source: "flow", ...flow };
  const action = step?.type === "StartInternalSystemAction" ? String(step["action_name"]) : undefined;
  if (action !== undefined && !GENERATED_BY.has(action)) return { action, source: "flow", ...flow };
  const next = await generateNextStep(
    { intent, events: [...stage.events, { type: "UserIntent", intent }], context: stage.context },
    stage.services,
  );
  return { ...(next.kind === "intent" ? { intent: next.intent } : {}), source: "llm" };
}

/** The action of the flow `generate next step`, under both of its names: no flow of the user had a step. */
const GENERATED_BY = new Set(["generate_next_step", "generate_next_steps"]);

/** Bot intent and context to the utterance. */
export async function botMessage(
  services: RuntimeServices,
  intent: string,
  context: Readonly<Record<string, unknown>>,
  history: readonly TurnMessage[],
  options: TurnOptions,
): Promise<BotUtterance> {
  const stage = openStage(services, history, context, options);
  const event: GuardrailsEvent = { type: "BotIntent", intent };
  const message = await generateBotMessage(
    { step: event, events: [...stage.events, event], context: stage.context },
    stage.services,
  );
  return { text: message.text, source: message.source };
}
