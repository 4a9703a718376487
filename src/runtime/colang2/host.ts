import { readMessages } from "../../turn/conversation.js";
import type { DialectHost } from "../dialect-host.js";
import { unknownFlow } from "../rail-facts.js";
import { colang2CanonicalForm, colang2NextStep } from "./dialog-stages.js";
import type { Colang2Services } from "./run.js";
import { runColang2Flow } from "./run-single-flow.js";
import { Colang2Session } from "./session/session.js";
import { openColang2Conversation } from "./stored-conversation.js";
import { takeColang2Turn } from "./take-turn.js";
import { isAwaited } from "./tools/tool-calls.js";

/** Runs flows in Colang 2.x. */
export function colang2Host(services: Colang2Services): DialectHost {
  const { program } = services;
  return {
    services,
    stages: services.stages,
    programHash: program.hash,
    warnings: services.warnings,
    hasDialog: services.hasDialog,
    hasMain: services.models.main !== undefined,
    hasInputFlow: services.ownRailFlows.has("input rails"),
    takeTurn: (...turn) => takeColang2Turn(services, ...turn),
    awaits: (stored, toolCallIds) => {
      const { engine } = openColang2Conversation(services, stored, { input: readMessages([]), context: {} });
      return toolCallIds.some((id) => isAwaited(engine, id));
    },
    openSession: (options) => new Colang2Session(services, options),
    runFlow: (...call) => runColang2Flow(services, ...call),
    canonicalForm: (...call) => colang2CanonicalForm(services, ...call),
    nextStep: (...call) => colang2NextStep(services, ...call),
    // The text of a flow such as `bot greet`, under its whole name or without `bot`.
    botMessage: async (turn, intent, { context, history }) => {
      const names = new Set([intent, `bot ${intent}`]);
      const flow = program.flows.find(({ id }) => names.has(id));
      if (flow === undefined) throw unknownFlow(program.flows, intent);
      const { messages } = await runColang2Flow(services, turn, flow.id, history, context);
      return { text: messages.map(({ content }) => content).join("\n"), source: "predefined" };
    },
  };
}
