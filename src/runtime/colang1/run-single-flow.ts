import { createState } from "../../colang1/engine/state.js";
import { assignContext, readMessages, userMessages } from "../../turn/conversation.js";
import { summarizeDecisions } from "../../turn/decision.js";
import { historyEvents } from "../../turn/history.js";
import type { TurnMessage } from "../../turn/options.js";
import type { FlowResult } from "../dialog-results.js";
import { runAction } from "./run-action.js";
import { runLoop } from "./run-loop.js";
import { type RuntimeServices, collectUtterances, conversationRun } from "./run.js";
import type { Turn } from "../../turn/turn.js";
import { unknownFlow } from "../rail-facts.js";
import { hideTexts } from "./hide-texts.js";

/**
 * Runs one flow by name in a fresh conversation. Its messages pass the output rails like any other;
 * the intent at its head counts as said.
 *
 * @throws DiagnosticError `CO-204` when no flow has that name
 */
export async function runSingleFlow(
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
