import { ActionError } from "../../../diagnostics/errors.js";
import type { ActionContext, ActionDefinition, ActionResult } from "../../../actions/action.js";
import { actionResult } from "../../../actions/dispatcher.js";
import { defineAction } from "../../../actions/define-action.js";
import { generateBotMessage } from "./bot-message.js";
import { GENERAL_RESPONSE } from "./completions.js";
import { generateGeneral, OWN_EVIDENCE } from "../../../generation/passthrough.js";
import { currentUserText, lastEvent, lastText } from "../../../generation/history.js";
import { type GeneratedText, requireModel } from "../../../generation/services.js";
import { generateNextStep } from "./next-step.js";
import { retrieveRelevantChunks } from "../../../generation/retrieve-chunks.js";
import { type GenerationServices, hasUserMessages, type StepServices, stepServices } from "./services.js";
import { generateUserIntent } from "./user-intent.js";
import type { GuardrailsEvent } from "../../../engine/events.js";
import { modelForTask } from "../../../llm/model.js";
import { flowExamples } from "./examples.js";
import { readValue } from "../../../generation/read-value.js";

/** Set while the bot text is predefined, for rails that compare it with what a model would say. */
const PREDEFINED = "_predefined_message";

/** The names of these actions, which flows of a configuration may execute too. */
export const GENERATION_ACTIONS: readonly string[] = [
  "generate_user_intent",
  "generate_next_step",
  "generate_next_steps",
  "generate_bot_message",
  "retrieve_relevant_chunks",
  "render_bot_message",
  "generate_value",
];

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
  const define = (
    name: string,
    run: (context: ActionContext, step: StepServices) => Promise<unknown>,
  ): ActionDefinition =>
    defineAction({ name, system: true }, (_, context) => run(context, stepServices(services, context)));
  return [
    define("generate_user_intent", userIntentAction),
    define("generate_next_step", nextStepAction),
    define("generate_next_steps", nextStepAction),
    define("generate_bot_message", botMessageAction),
    define("retrieve_relevant_chunks", retrieveAction),
    defineAction(
      { name: "render_bot_message", system: true, verdict: true, parameters: ["intent"] },
      ({ intent }, context) => renderAction(intent, context, stepServices(services, context)),
    ),
    defineAction(
      { name: "generate_value", system: true, verdict: true, parameters: ["instructions", "var_name"] },
      (params, context) => valueAction(params, context, stepServices(services, context)),
    ),
  ];
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
  const supplied = Object.hasOwn(context, "relevant_chunks") ? context["relevant_chunks"] : undefined;
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
async function renderAction(intent: unknown, { context }: ActionContext, services: StepServices): Promise<string> {
  const text = typeof intent === "string" ? await services.messages.render(intent, context) : undefined;
  if (text !== undefined) {
    if (services.messages.isFixed(text)) services.call.rail?.written.add(text);
    return text;
  }
  throw new ActionError(`\`${String(intent)}\` is not a predefined message`, { action: "render_bot_message" });
}

function valueAction(
  params: Readonly<Record<string, unknown>>,
  { events, context }: ActionContext,
  services: StepServices,
): Promise<unknown> {
  const { instructions, var_name: given } = params;
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

export interface ValueInput {
  /** Without the dollar sign. */
  readonly variable: string;
  readonly instructions: string | undefined;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
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
