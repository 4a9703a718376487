import { ActionError } from "../../../diagnostics/errors.js";
import type { ActionContext, ActionDefinition, ActionResult } from "../../../actions/action.js";
import { actionResult } from "../../../actions/dispatcher.js";
import { defineAction } from "../../../actions/define-action.js";
import { generateBotMessage } from "./bot-message.js";
import { GENERAL_RESPONSE } from "./completions.js";
import { generateGeneral, OWN_EVIDENCE } from "../../../generation/passthrough.js";
import { currentUserText, lastEvent, lastText } from "../../../generation/history.js";
import { type DialogInput, type GeneratedText, requireModel } from "../../../generation/services.js";
import { generateNextStep } from "./next-step.js";
import { retrieveRelevantChunks } from "../../../generation/retrieve-chunks.js";
import { type GenerationServices, hasUserMessages, type StepServices, stepServices } from "./services.js";
import { generateUserIntent } from "./user-intent.js";
import { readOwn } from "../../../engine/plain-data.js";
import { modelForTask } from "../../../llm/model.js";
import { flowExamples } from "./examples.js";
import { readValue } from "../../../generation/read-value.js";

/** Set while the bot text is predefined, for rails that compare it with what a model would say. */
const PREDEFINED = "_predefined_message";

type Params = Readonly<Record<string, unknown>>;

interface Described {
  readonly verdict?: boolean;
  readonly parameters?: readonly string[];
  readonly run: (context: ActionContext, services: StepServices, params: Params) => Promise<unknown>;
}

const ACTIONS: Readonly<Record<string, Described>> = {
  generate_user_intent: { run: userIntentAction },
  generate_next_step: { run: nextStepAction },
  generate_next_steps: { run: nextStepAction },
  generate_bot_message: { run: botMessageAction },
  retrieve_relevant_chunks: { run: retrieveAction },
  render_bot_message: { verdict: true, parameters: ["intent"], run: renderAction },
  generate_value: { verdict: true, parameters: ["instructions", "var_name"], run: valueAction },
};

/** The names of these actions, which flows of a configuration may execute too. */
export const GENERATION_ACTIONS: readonly string[] = Object.keys(ACTIONS);

/**
 * The pipeline's own actions. They are registered without replacing actions of the user, so an
 * action of the same name takes the place of one of these.
 *
 * @example
 * ```ts
 * for (const action of createGenerationActions(services)) builder.register(action, undefined, { override: false });
 * ```
 */
export function createGenerationActions(services: GenerationServices): readonly ActionDefinition[] {
  return Object.entries(ACTIONS).map(([name, { run, ...options }]) =>
    defineAction({ name, system: true, ...options }, (params: Params, context) =>
      run(context, stepServices(services, context), params),
    ),
  );
}

async function userIntentAction({ events, context }: ActionContext, services: StepServices): Promise<ActionResult> {
  if (!hasUserMessages(services)) {
    if (needsRetrievalRails(context, services)) {
      return actionResult({ events: [{ type: "BotIntent", intent: GENERAL_RESPONSE }] });
    }
    return botMessageResult(await generateGeneral({ events, context }, services), context);
  }
  const { text } = currentUserText(events);
  const { intent } = await generateUserIntent({ text, events, context }, services);
  return actionResult({ events: [{ type: "UserIntent", intent }] });
}

/**
 * Chunks reach a prompt only after the retrieval rails, and these run where a bot intent is turned into words. So an
 * answer that is to use chunks takes that way even where no user messages are defined.
 */
function needsRetrievalRails(context: Readonly<Record<string, unknown>>, services: StepServices): boolean {
  if (services.call.generator || services.settings.passthrough === true) return false;
  if (services.settings.rails.retrieval.flows.length === 0) return false;
  const supplied = readOwn(context, "relevant_chunks");
  return (services.kb !== undefined && services.kb !== null) || (typeof supplied === "string" && supplied !== "");
}

async function nextStepAction({ events, context }: ActionContext, services: StepServices): Promise<ActionResult> {
  const intent = lastText(events, "UserIntent", "intent") ?? "";
  const step = await generateNextStep({ intent, events, context }, services);
  return actionResult({
    events: [
      step.kind === "intent"
        ? { type: "BotIntent", intent: step.intent }
        : { type: "start_flow", flow_id: step.flowId, flow_body: step.body },
    ],
  });
}

async function botMessageAction({ events, context }: ActionContext, services: StepServices): Promise<ActionResult> {
  const step = lastEvent(events, "BotIntent");
  if (!step) throw new ActionError("there is no bot intent to make a message of", { action: "generate_bot_message" });
  return botMessageResult(await generateBotMessage({ step, events, context }, services), context);
}

function botMessageResult(generated: GeneratedText, context: Readonly<Record<string, unknown>>): ActionResult {
  return actionResult({
    returnValue: generated.text,
    events: [{ type: "BotMessage", text: generated.text }],
    contextUpdates: {
      // INVARIANT: what is noted about one bot text must not stick to the next one.
      ...cleared(context, OWN_EVIDENCE),
      ...cleared(context, PREDEFINED),
      ...(generated.source === "predefined" ? { [PREDEFINED]: true } : {}),
      ...generated.contextUpdates,
    },
  });
}

function cleared(context: Readonly<Record<string, unknown>>, flag: string): Readonly<Record<string, unknown>> {
  return Object.hasOwn(context, flag) && context[flag] === true ? { [flag]: false } : {};
}

async function retrieveAction({ events, context }: ActionContext, services: StepServices): Promise<ActionResult> {
  const begun = services.call.merged?.retrieved;
  const { text, contextUpdates } = await (begun !== undefined && begun.query === currentUserText(events).text
    ? begun.found
    : retrieveRelevantChunks({ events, context }, services));
  return actionResult({ returnValue: text, contextUpdates });
}

/** The text of a predefined message, for flows that say it as an event and not as a step. */
async function renderAction({ context }: ActionContext, services: StepServices, { intent }: Params): Promise<string> {
  const text = typeof intent === "string" ? await services.messages.render(intent, context) : undefined;
  if (text !== undefined) {
    if (services.messages.isFixed(text)) services.call.rail?.written.add(text);
    return text;
  }
  throw new ActionError(`\`${String(intent)}\` is not a predefined message`, { action: "render_bot_message" });
}

async function valueAction(
  { events, context }: ActionContext,
  services: StepServices,
  { instructions, var_name: given }: Params,
): Promise<unknown> {
  const variable =
    typeof given === "string" ? given : lastText(events, "StartInternalSystemAction", "action_result_key");
  if (variable === undefined || variable === "") {
    throw new ActionError("`generate_value` needs a variable for its value", { action: "generate_value" });
  }
  return generateValue(
    { variable, instructions: typeof instructions === "string" ? instructions : undefined, events, context },
    services,
  );
}

const TASK = "generate_value";

const MAX_HITS = 10;

const MAX_EXAMPLES = 5;

interface ValueInput extends DialogInput {
  /** Without the dollar sign. */
  readonly variable: string;
  readonly instructions: string | undefined;
}

/**
 * A value for `$name = ...`: the literal in the completion, or its text when it is one line that is
 * no literal.
 *
 * @throws ActionError when the completion is empty or has several lines without a literal, ModelError when the call fails
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
