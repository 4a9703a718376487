import type { ActionContext, ActionResult } from "../../../actions/action.js";
import { actionResult, PlainResult } from "../../../actions/dispatcher.js";
import { ActionError } from "../../../diagnostics/errors.js";
import { currentUserText, lastEvent, lastText } from "../../../generation/history.js";
import { readValue } from "../../../generation/read-value.js";
import { retrieveRelevantChunks } from "../../../generation/retrieve-chunks.js";
import { type DialogInput, requireModel } from "../../../generation/services.js";
import { modelForTask } from "../../../llm/model.js";
import { botMessageResult } from "./bot-message-result.js";
import { generateBotMessage } from "./bot-message.js";
import { flowExamples } from "./examples.js";
import { generateNextStep } from "./next-step.js";
import type { StepServices } from "./services.js";
import { generateUserIntent } from "./user-intent.js";

const TASK = "generate_value";
const MAX_HITS = 10;
const MAX_EXAMPLES = 5;

/** Finds the canonical form of the user's message. */
export async function knownIntentAction(
  { events, context }: ActionContext,
  services: StepServices,
): Promise<ActionResult> {
  const { text } = currentUserText(events);
  const { intent } = await generateUserIntent({ text, events, context }, services);
  return intentResult({ type: "UserIntent", intent });
}

/** Metadata of a user-defined index may hold anything. */
function intentResult(event: { readonly type: string; readonly intent: string }): ActionResult {
  return typeof event.intent === "string" ? new PlainResult(event) : actionResult({ events: [event] });
}

/** `generate_next_steps`: asks the model for the step after the user's intent. */
export async function nextStepAction(
  { events, context }: ActionContext,
  services: StepServices,
): Promise<ActionResult> {
  const intent = lastText(events, "UserIntent", "intent") ?? "";
  const step = await generateNextStep({ intent, events, context }, services);
  if (step.kind === "intent") return intentResult({ type: "BotIntent", intent: step.intent });
  return actionResult({ events: [{ type: "start_flow", flow_id: step.flowId, flow_body: step.body }] });
}

/** `generate_bot_message`: words the bot message of an intent. */
export async function botMessageAction(
  { events, context }: ActionContext,
  services: StepServices,
): Promise<ActionResult> {
  const step = lastEvent(events, "BotIntent");
  if (!step) throw new ActionError("expected a bot intent to make a message of", { action: "generate_bot_message" });
  return botMessageResult(await generateBotMessage({ step, events, context }, services), context);
}

/** `retrieve_relevant_chunks`: searches the knowledge base, unless the merged call has searched for the same text. */
export async function retrieveAction(
  { events, context }: ActionContext,
  services: StepServices,
): Promise<ActionResult> {
  const started = services.call.merged?.retrieved;
  const { text, contextUpdates } = await (started !== undefined && started.query === currentUserText(events).text
    ? started.found
    : retrieveRelevantChunks({ events, context }, services));
  return actionResult({ returnValue: text, contextUpdates });
}

/** `generate_value`: asks the model for the value of a variable. */
export async function valueAction(
  { events, context }: ActionContext,
  services: StepServices,
  { instructions, var_name: given }: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const variable =
    typeof given === "string" ? given : lastText(events, "StartInternalSystemAction", "action_result_key");
  if (variable === undefined || variable === "") {
    throw new ActionError("expected a variable for the value of `generate_value`", { action: "generate_value" });
  }
  return generateValue(
    { variable, instructions: typeof instructions === "string" ? instructions : undefined, events, context },
    services,
  );
}

interface ValueInput extends DialogInput {
  /** Without the dollar sign. */
  readonly variable: string;
  readonly instructions: string | undefined;
}

/**
 * Generates a value for `$name = ...`: the literal in the completion, or its text if that is a single line without a
 * literal.
 *
 * @throws ActionError if the completion is empty or has several lines and no literal, ModelError if the call fails
 */
export async function generateValue(input: ValueInput, services: StepServices): Promise<unknown> {
  const hits = await services.indexes.flows.search(`$${input.variable} = `, MAX_HITS);
  const shown = hits.filter(({ item }) => !(item.meta["flow"] ?? "").includes("= ..."));
  const { text } = await services.tasks.run({
    task: TASK,
    model: requireModel(modelForTask(services.models, TASK), TASK),
    events: input.events,
    context: input.context,
    variables: {
      ...flowExamples(shown, MAX_EXAMPLES),
      instructions: input.instructions ?? "",
      var_name: input.variable,
    },
    parameters: { temperature: services.settings.lowest_temperature },
    scope: services.scope,
  });
  return readValue(text, input.variable);
}
