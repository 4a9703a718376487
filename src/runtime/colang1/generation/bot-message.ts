import { ActionError } from "../../../diagnostics/errors.js";
import type { EventDraft } from "../../../engine/events.js";
import { readOwn } from "../../../engine/plain-data.js";
import { formatValue } from "../../../expressions/values/format.js";
import { toValue } from "../../../expressions/values/value.js";
import { modelForTask } from "../../../llm/model.js";
import { type GradualText, inSequence, NewlineEscapes } from "../../../llm/parsers/gradual/gradual-text.js";
import { UtteranceReader } from "../../../llm/parsers/completion-text.js";
import { botExamples } from "./examples.js";
import { runGeneralTask, orFallbackText, askDirectly } from "../../../generation/passthrough.js";
import { endingWith, lastText } from "../../../generation/history.js";
import { type DialogInput, type GeneratedText, requireModel, GENERAL_RESPONSE } from "../../../generation/services.js";
import { fallsBack } from "./start-merged-call.js";
import { type StepServices } from "./services.js";
import { askForWords, writeWords } from "../../../generation/gradual-words.js";

const TASK = "generate_bot_message";
const MAX_EXAMPLES = 5;
const DEFAULT_REFUSAL = "I cannot answer that.";
const VARIABLE = /^\$([A-Za-z_]\w*)$/;

export interface BotMessageInput extends DialogInput {
  /** The `BotIntent` to render: its `intent`, and a `text` or `value` given by a flow. */
  readonly step: EventDraft;
}

/**
 * Third dialog stage: the text of a message. Predefined texts are emitted unchanged and need no output rails; values of
 * variables, answers of a wrapped chain and model texts do.
 *
 * @throws ActionError if a variable to emit is undefined (CO-401), ModelError if a model is missing or fails
 */
export async function generateBotMessage(input: BotMessageInput, services: StepServices): Promise<GeneratedText> {
  const intent = typeof input.step["intent"] === "string" ? input.step["intent"] : "";
  const fixedMessage = (await predefinedText(intent, input, services)) ?? variableText(intent, input);
  if (fixedMessage) {
    services.call.merged?.call?.cancelRest();
    const isFixed = fixedMessage.source === "predefined" && services.messages.isFixed(fixedMessage.text);
    if (isFixed) services.call.rail?.written.add(fixedMessage.text);
    return fixedMessage;
  }
  const { rail } = services.call;
  if (rail !== undefined) return defaultRefusal(input, services, rail);
  const made =
    (await askDirectly(input, services)) ??
    (intent === GENERAL_RESPONSE && !services.hasUserMessages
      ? await runGeneralTask(input, services)
      : ((await mergedText(intent, input, services)) ?? (await askModel(intent, input, services))));
  return orFallbackText(made, services);
}

/** INVARIANT: no model writes the text of a rail's message that the configuration does not define. */
async function defaultRefusal(
  { context }: BotMessageInput,
  { messages }: StepServices,
  rail: { readonly written: Set<string> },
): Promise<GeneratedText> {
  const text = (await messages.render("refuse to respond", context)) ?? DEFAULT_REFUSAL;
  if (text === DEFAULT_REFUSAL || messages.isFixed(text)) rail.written.add(text);
  return { text, source: "predefined", contextUpdates: { skip_output_rails: true } };
}

async function predefinedText(
  intent: string,
  { step, context }: BotMessageInput,
  { messages, call }: StepServices,
): Promise<GeneratedText | undefined> {
  const warn = (variable: string): void =>
    call.warn?.({ code: "CO-408", message: `the message \`${intent}\` reads \`$${variable}\`, which is undefined` });
  const literal = step["text"];
  const text =
    typeof literal === "string"
      ? await messages.renderText(literal, context, warn)
      : await messages.render(intent, context, warn);
  return text === undefined ? undefined : { text, source: "predefined", contextUpdates: { skip_output_rails: true } };
}

function variableText(intent: string, { step, context }: BotMessageInput): GeneratedText | undefined {
  const name = VARIABLE.exec(intent)?.[1];
  const isValue = Object.hasOwn(step, "value");
  if (!isValue && name === undefined) return undefined;
  const value = isValue ? step["value"] : readOwn(context, name ?? "");
  if (value === undefined || value === null) {
    const message = `\`bot ${intent}\` has nothing to say, the value is undefined`;
    throw new ActionError(message, { action: TASK, code: "CO-401" });
  }
  return { text: formatValue(toValue(value)), source: "variable", contextUpdates: {} };
}

/**
 * Returns the text of the turn's merged call if it belongs to this step: the same intent, no instructions that the
 * model has not seen, and the current chunks.
 */
async function mergedText(
  intent: string,
  { step, events, context }: BotMessageInput,
  services: StepServices,
): Promise<GeneratedText | undefined> {
  const call = services.call.merged?.call;
  if (call?.isUsable !== true) return undefined;
  const chunks = readOwn(context, "relevant_chunks");
  const isFor =
    !call.areWordsApart &&
    call.userIntent === lastText(events, "UserIntent", "intent") &&
    step["instructions"] === undefined &&
    (typeof chunks === "string" ? chunks.trim() : "") === call.shownChunks &&
    ((await call.readBotIntent()) ?? GENERAL_RESPONSE) === intent;
  if (!isFor) {
    call.cancelRest();
    return undefined;
  }
  const contextUpdates = { _last_bot_prompt: call.promptText };
  const { writeText } = services.call;
  const text = await call.readMessage(writeText && ((words) => writeWords(words, writeText, contextUpdates)));
  if (text.trim() === "" && fallsBack(services)) return undefined;
  return { text, source: "llm", contextUpdates };
}

async function askModel(intent: string, input: BotMessageInput, services: StepServices): Promise<GeneratedText> {
  const model = requireModel(modelForTask(services.models, TASK), TASK);
  const hits = services.hasUserMessages ? await services.indexes.botMessages.search(intent, MAX_EXAMPLES) : [];
  const request = {
    task: TASK,
    model,
    events: endingWith(input.events, { type: "BotIntent", property: "intent", value: intent }),
    context: input.context,
    variables: botExamples(hits),
    parameters: services.call.llmParams ? { extra: services.call.llmParams } : {},
    scope: services.scope,
  };
  const reader = (): GradualText => inSequence([new UtteranceReader(), new NewlineEscapes()]);
  const { text, promptText } = await askForWords(request, services, reader);
  return { text, source: "llm", contextUpdates: { _last_bot_prompt: promptText } };
}
