import { readMessages, userMessages, historyEvents as storedEvents } from "../../turn/conversation.js";
import { type DialectHost, type FlowResult, openStageTurn, type StageInput } from "../dialect-host.js";
import { unknownFlow } from "../rail-facts.js";
import { colang2NextStep, withStage } from "./dialog-stages.js";
import { findUserIntent } from "./generation/user-intent.js";
import { type Colang2Services, utterancesOf, conversationRun, completeEvent } from "./run.js";
import { Colang2Session } from "./session/session.js";
import { openColang2Conversation, engineSettings, openLoop } from "./stored-conversation.js";
import { takeColang2Turn } from "./take-turn.js";
import { isAwaited } from "./tools/tool-calls.js";
import { EngineConversation, type HostedFlow } from "../../colang2/engine/conversation.js";
import { summarizeDecisions } from "../../turn/decision.js";
import type { Turn } from "../../turn/turn.js";
import { OwnRails } from "./output-stage.js";
import { hiddenTextsOf, hideTexts } from "./build-result.js";

/** Number of examples to compare with when a canonical form is requested alone. */
const MAX_EXAMPLES = 20;

/** Runs flows in Colang 2.x. */
export function colang2Host(services: Colang2Services): DialectHost {
  const { program } = services;
  return {
    services,
    stages: services.stages,
    programHash: program.hash,
    warnings: services.warnings,
    hasDialog: services.hasDialog,
    models: services.models,
    main: services.models.main,
    hasInputFlow: services.ownRailFlows.has("input rails"),
    hasFlow: (flow) => program.flows.some(({ id }) => id === flow),
    takeTurn: (...turn) => takeColang2Turn(services, ...turn),
    awaits: (stored, toolCallIds) => {
      const { engine } = openColang2Conversation(services, stored, {
        input: readMessages([]),
        context: {},
        live: "find",
      });
      return toolCallIds.some((id) => isAwaited(engine, id));
    },
    openSession: (options) => new Colang2Session(services, options),
    runFlow: (...call) => runColang2Flow(services, ...call),
    canonicalForm: (turn, text, history) =>
      withStage(services, turn, { history, context: {}, userMessage: text }, ({ step }) =>
        findUserIntent({ userAction: text, maxExamples: MAX_EXAMPLES }, step),
      ),
    nextStep: (...call) => colang2NextStep(services, ...call),
    // Text of a flow such as `bot greet`, by its full name or without `bot`.
    botMessage: async (turn, intent, stageInput) => {
      const names = new Set([intent, `bot ${intent}`]);
      const flow = program.flows.find(({ id }) => names.has(id));
      if (flow === undefined) throw unknownFlow(program.flows, intent);
      const { messages } = await runColang2Flow(services, turn, flow.id, stageInput);
      return { text: messages.map(({ content }) => content).join("\n"), source: "predefined" };
    },
  };
}

/**
 * Runs one flow by name in a fresh conversation, without `main`. Variables named like its parameters are its arguments,
 * and all are global variables. Its utterances pass the output rails. A user message is fed to it while it waits.
 *
 * @throws DiagnosticError `CO-204` if no flow has that name
 */
async function runColang2Flow(
  services: Colang2Services,
  turn: Turn,
  flow: string,
  stageInput: StageInput,
): Promise<FlowResult> {
  const definition = services.program.flows.find(({ id }) => id === flow);
  if (definition === undefined) throw unknownFlow(services.program.flows, flow);
  const { input, variables: context } = openStageTurn(turn, stageInput);
  const text = input.userTexts.at(-1);
  if (text !== undefined) Object.assign(context, { user_message: text, last_user_message: text });
  const parameters = Object.fromEntries(
    definition.parameters.flatMap(({ name }) => (Object.hasOwn(context, name) ? [[name, context[name]]] : [])),
  );
  const past = [...storedEvents(input.earlier), ...userMessages(input.userTexts.slice(0, -1))];
  const engine = new EngineConversation(services.program, { context, ...engineSettings(services), prefix: "flow" });
  const run = conversationRun(turn, engine, () => past);
  const ownRails = new OwnRails(services, run);
  const loop = openLoop(services, run, { onRound: ({ trace }) => ownRails.note(trace) });
  let started: (() => HostedFlow) | undefined;
  try {
    const how = { signal: turn.cancellation, blocking: true };
    const first = await loop.perform(() => {
      const hosted = run.engine.start(flow, parameters);
      started = hosted.flow;
      return hosted.round;
    }, how);
    if (first.overflow !== undefined) throw first.overflow;
    if (text !== undefined && started?.().status === "running") {
      const draft = { type: "UtteranceUserActionFinished", final_transcript: text };
      const event = completeEvent({ ...draft, action_uid: services.events.ids.next() }, services.events);
      const second = await loop.perform(() => run.engine.process(event), how);
      if (second.overflow !== undefined) throw second.overflow;
    }
  } finally {
    loop.close();
  }
  const status = started?.().status ?? "failed";
  const utterances = utterancesOf(run.events);
  const events = hideTexts(run.events, hiddenTextsOf(turn, ownRails.blocked, utterances));
  const { blocked } = summarizeDecisions(turn.decisions, services.onError !== "allow");
  return {
    messages: utterances.map((content) => ({ role: "assistant", content })),
    variables: Object.fromEntries(Object.entries(run.engine.globals).filter(([name]) => !name.startsWith("_"))),
    events,
    status: blocked ? "stopped" : status === "running" ? "waiting" : status,
  };
}
