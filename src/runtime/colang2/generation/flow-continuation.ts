import { distinctMeta } from "../../../generation/indexes.js";
import { readLabels } from "./completion.js";
import { dynamicName } from "./flow-name.js";
import { printInteractionHistory } from "../../../llm/prompts/interaction-history.js";
import { historyEvents } from "./print-history.js";
import { type Colang2Step, runColang2Task, userTextOf } from "./services.js";
import { botIntentName } from "./user-intent.js";
import { botActionOf, flowText, ISSUE_FLOW, sayingFlow } from "./written-body.js";

const TASK = "generate_flow_continuation";
const MAX_HITS = 10;

export interface GeneratedFlow {
  readonly name: string;
  readonly parameters: readonly string[];
  /** The whole flow as Colang text. */
  readonly body: string;
}

/**
 * The next step of the bot as a flow of its own (spec 9.4.3), which is tagged as an intent and does one thing. A completion
 * without a usable action gives a flow that says so.
 *
 * @throws ModelError when the model call fails
 */
export async function generateFlowContinuation(temperature: number, step: Colang2Step): Promise<GeneratedFlow> {
  const history = printInteractionHistory(historyEvents(step.access.history));
  const lastLine = history.slice(history.lastIndexOf("\n") + 1);
  const hits = await step.indexes.of(step.access).flows.search(lastLine || (userTextOf(step) ?? ""), MAX_HITS);
  const examples = distinctMeta(hits, "flow", MAX_HITS).toReversed().join("\n\n");
  const { text } = await runColang2Task(step, { task: TASK, variables: { examples }, temperature });
  const labels = readLabels(withFirstLabel(text));
  const action = labels.get("bot action");
  const body = action === undefined || action === "" ? undefined : botActionOf(action, step);
  const id = step.access.nextId();
  const parts =
    body === undefined
      ? sayingFlow(dynamicName(id, ISSUE_FLOW), step.settings.messages.no_answer, step)
      : { name: dynamicName(id, botIntentName(labels.get("bot intent") ?? "", step)), body };
  return { name: parts.name, parameters: [], body: flowText({ ...parts, decorators: "@meta(bot_intent=True)" }) };
}

/** A text model goes on behind the label that its prompt ends with. */
function withFirstLabel(completion: string): string {
  return /bot intent[*_`]*\s*:|^[\s*_`]*bot action\b/i.test(completion)
    ? completion
    : `bot intent: ${completion.trimStart()}`;
}
