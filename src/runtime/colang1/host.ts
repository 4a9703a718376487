import { InputShapeError } from "../../diagnostics/errors.js";
import { type DialectHost, type FlowResult, openStageTurn, type StageInput } from "../dialect-host.js";
import { type Run, type RuntimeServices, collectUtterances, conversationRun } from "./run.js";
import { runLoop } from "./run-loop.js";
import { takeTurn } from "./take-turn.js";
import { isPromise } from "../../engine/async.js";
import { createState } from "../../colang1/engine/state.js";
import { userMessages, historyEvents } from "../../turn/conversation.js";
import { summarizeDecisions } from "../../turn/decision.js";
import { runAction } from "./run-action.js";
import type { Turn } from "../../turn/turn.js";
import { unknownFlow } from "../rail-facts.js";
import { hideTexts } from "./hide-texts.js";
import { advance } from "../../colang1/engine/advance.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { stepServices } from "./generation/services.js";
import { actionContext } from "./call-services.js";

/** Runs flows in Colang 1.0. */
export function colang1Host(services: RuntimeServices): DialectHost {
  const { program } = services;
  return {
    services,
    stages: services,
    get programHash() {
      return program.hash;
    },
    warnings: services.warnings,
    hasDialog: Object.keys(program.userMessages).length > 0 || program.flows.some((flow) => flow.tier === "user"),
    models: services.models,
    main: services.models.main,
    hasInputFlow: false,
    hasFlow: (flow) => services.flows.has(flow),
    takeTurn: (...turn) => {
      const ready = services.prepareDialog?.();
      return isPromise(ready) ? ready.then(() => takeTurn(services, ...turn)) : takeTurn(services, ...turn);
    },
    // In Colang 1.0, no flow waits for a tool result.
    awaits: () => false,
    openSession: () => {
      throw new InputShapeError(
        "`events()` needs a configuration in Colang 2.x; in Colang 1.0 pass events to `generate`, as messages of the role `event`",
      );
    },
    runFlow: (...call) => runSingleFlow(services, ...call),
    canonicalForm: async (turn, text, history) => {
      const { past, context, step } = openStage(services, turn, { history, context: {}, userMessage: text });
      const { generateUserIntent } = await import("./generation/user-intent.js");
      return generateUserIntent({ text, events: [...past, { type: "UserMessage", text }], context }, step);
    },
    // A flow decides if one matches, otherwise the model.
    nextStep: async (turn, intent, history) => {
      const { run, past, context, step } = openStage(services, turn, { history, context: {} });
      const event: GuardrailsEvent = { type: "UserIntent", intent };
      const { events, trace } = advance(program, run.state, event);
      const decided = trace.findLast((entry) => entry.type === "decided");
      const by = decided?.type === "decided" ? { flow: decided.winner.flow } : {};
      const next = events.find(({ type }) => type !== "ContextUpdate");
      if (next?.type === "BotIntent") return { intent: String(next["intent"]), source: "flow", ...by };
      const action = next?.type === "StartInternalSystemAction" ? String(next["action_name"]) : undefined;
      if (action !== undefined && !GENERATED_BY.has(action)) return { action, source: "flow", ...by };
      const { generateNextStep } = await import("./generation/next-step.js");
      const generated = await generateNextStep({ intent, events: [...past, event], context }, step);
      return { ...(generated.kind === "intent" ? { intent: generated.intent } : {}), source: "llm" };
    },
    botMessage: async (turn, intent, stageInput) => {
      const { past, context, step } = openStage(services, turn, stageInput);
      const event: GuardrailsEvent = { type: "BotIntent", intent };
      const { generateBotMessage } = await import("./generation/bot-message.js");
      const { text, source } = await generateBotMessage({ step: event, events: [...past, event], context }, step);
      return { text, source };
    },
  };
}

/** The action of the flow `generate next step`, under both names: it runs if no user flow had a step. */
const GENERATED_BY = new Set(["generate_next_step", "generate_next_steps"]);

/**
 * Runs one flow by name in a fresh conversation. Its messages pass the output rails like any other; its leading intent
 * counts as uttered.
 *
 * @throws DiagnosticError `CO-204` if no flow has that name
 */
async function runSingleFlow(
  services: RuntimeServices,
  turn: Turn,
  flow: string,
  given: StageInput,
): Promise<FlowResult> {
  if (!services.flows.has(flow)) throw unknownFlow(services.program.flows, flow);
  const { input, variables: context } = openStageTurn(turn, given);
  const text = input.userTexts.at(-1) ?? input.lastUser;
  if (text !== undefined) Object.assign(context, { user_message: text, last_user_message: text });
  const past = [...historyEvents(input.earlier), ...userMessages(input.userTexts.slice(0, -1))];
  const state = createState(services.program, context, { scope: "conversation", limits: services.limits });
  const run = conversationRun(turn, state, { past: () => past, perform: runAction });
  if (text !== undefined) run.events.push({ type: "UserMessage", text });
  await services.prepareDialog?.();
  await runLoop(services, run, [{ type: "start_flow", flow_id: flow }]);
  const { events } = hideTexts(run, [], context);
  const blocked = summarizeDecisions(turn.decisions, services.onError !== "allow").blocked;
  return {
    messages: collectUtterances(run.events).map((content) => ({ role: "assistant", content })),
    variables: Object.fromEntries(Object.entries(run.state.context).filter(([name]) => !name.startsWith("_"))),
    events,
    status: flowStatus(run, flow, blocked),
  };
}

function flowStatus({ failed, stopped, state }: Run, flow: string, blocked: boolean): FlowResult["status"] {
  if (failed) return "failed";
  if (stopped || blocked) return "stopped";
  return state.instances.some((instance) => instance.flow === flow) ? "waiting" : "finished";
}

/** Opens the context of a stage that runs alone, as a pipeline action has it. */
function openStage(services: RuntimeServices, turn: Turn, stageInput: StageInput) {
  const { variables, past } = openStageTurn(turn, stageInput);
  const state = createState(services.program, variables, { scope: "conversation", limits: services.limits });
  const run = conversationRun(turn, state, { past: () => past, perform: runAction });
  const action = actionContext(services, run, { calls: [], own: turn.cancellation });
  // A stage that runs alone has no later stages to share a call with.
  const step = stepServices(services.generation, action, null);
  return { run, past, context: action.context, step };
}
