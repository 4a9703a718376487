import { ActionError } from "../../../diagnostics/errors.js";
import { distinctMeta } from "../../../generation/indexes.js";
import { flowNameOf, shortId, dynamicName } from "./flow-name.js";
import { oneLine, printInteractionHistory } from "../../../llm/prompts/interaction-history.js";
import { type Colang2Step, runColang2Task, logEvents, userTextOf } from "./services.js";
import { bodyLines, flowText, ISSUE_FLOW, isUsableFlow, sayingFlow, botActionOf, usableFlow } from "./written-body.js";
import { readLabels } from "./completion.js";
import { botIntentOf } from "./user-intent.js";

const NAME_TASK = "generate_flow_from_name";
const INSTRUCTIONS_TASK = "generate_flow_from_instructions";
const MAX_HITS = 5;
const MAX_INSTRUCTIONS = 4000;

/**
 * Generates a flow, as Colang text, for a name that is started but not defined. It gets the requested name, whatever
 * the completion calls it.
 *
 * @throws ActionError for an invalid flow name, ModelError if the model call fails
 */
export async function generateFlowFromName(name: string, step: Colang2Step): Promise<string> {
  if (flowNameOf(name) !== name) {
    throw new ActionError("expected a valid flow name", { action: "GenerateFlowFromNameAction" });
  }
  const examples = await similarFlows(name, step);
  const { text } = await runColang2Task(step, NAME_TASK, { examples, flow_name: name });
  return usableFlow({ name, body: bodyLines(text) }, step);
}

/**
 * Generates a flow that follows instructions. Without a usable body in the completion, the flow says so.
 *
 * @throws ModelError if the model call fails
 */
export async function generateFlowFromInstructions(instructions: string, step: Colang2Step): Promise<GeneratedFlow> {
  const { access } = step;
  const id = access.nextId();
  // Four characters distinguish the flows of one conversation; more are used once they are exhausted.
  const short = `dynamic_${shortId(id, 4)}`;
  const name = access.definitions.has(short) ? `dynamic_${shortId(id, 8)}` : short;
  const shown = oneLine(instructions).slice(0, MAX_INSTRUCTIONS);
  const examples = await similarFlows(shown, step);
  const variables = { examples, flow_name: name, instructions: shown };
  const { text } = await runColang2Task(step, INSTRUCTIONS_TASK, variables);
  const body = flowText({ name, body: bodyLines(text) });
  if (isUsableFlow(body, step)) return { name, parameters: [], body };
  const issue = flowText(sayingFlow(ISSUE_FLOW, step.settings.messages.no_answer, step));
  return { name: ISSUE_FLOW, parameters: [], body: issue };
}

async function similarFlows(text: string, { indexes, access }: Colang2Step): Promise<string> {
  const hits = await indexes.of(access).instructions.search(text, MAX_HITS);
  return distinctMeta(hits, "flow", MAX_HITS).toReversed().join("\n\n");
}

const TASK = "generate_flow_continuation";

const MAX_CONTINUATION_HITS = 10;

export interface GeneratedFlow {
  readonly name: string;
  readonly parameters: readonly string[];
  /** The whole flow as Colang text. */
  readonly body: string;
}

/**
 * Generates the bot's next step as a separate flow, tagged as an intent and with one action. Without a usable action in
 * the completion, the flow says so.
 *
 * @throws ModelError if the model call fails
 */
export async function generateFlowContinuation(temperature: number, step: Colang2Step): Promise<GeneratedFlow> {
  const history = printInteractionHistory(logEvents(step.access.history));
  const lastLine = history.slice(history.lastIndexOf("\n") + 1);
  const hits = await step.indexes
    .of(step.access)
    .flows.search(lastLine || (userTextOf(step) ?? ""), MAX_CONTINUATION_HITS);
  const examples = distinctMeta(hits, "flow", MAX_CONTINUATION_HITS).toReversed().join("\n\n");
  const { text } = await runColang2Task(step, TASK, { examples }, temperature);
  // A text model continues after the label that ends its prompt.
  const isLabelled = /bot intent[*_`]*\s*:|^[\s*_`]*bot action\b/i.test(text);
  const labels = readLabels(isLabelled ? text : `bot intent: ${text.trimStart()}`);
  const action = labels.get("bot action");
  const body = action === undefined || action === "" ? undefined : botActionOf(action, step);
  const id = step.access.nextId();
  const parts =
    body === undefined
      ? sayingFlow(dynamicName(id, ISSUE_FLOW), step.settings.messages.no_answer, step)
      : { name: dynamicName(id, botIntentOf(labels.get("bot intent") ?? "", step)), body };
  return { name: parts.name, parameters: [], body: flowText({ ...parts, decorators: "@meta(bot_intent=True)" }) };
}
