import { RAIL_ACTIONS } from "../../catalog/rail-actions.js";
import type { PromptMessage } from "../../../config/settings.js";
import type { GuardrailsEvent } from "../../../engine/events.js";
import type { FunctionDefinition } from "../../../expressions/functions/function-definition.js";
import { defineFilter, printed } from "../template-dialect.js";
import { hasInteractionLogs, utteranceText, actionText, oneLine, quoted } from "../../prompts/interaction-history.js";
import { toPythonText } from "../../../expressions/values/format.js";
import { toValue } from "../../../expressions/values/value.js";

/** Placeholder of a user message that a rail blocked: its text must not return in a later prompt. */
const HIDDEN_MESSAGE = "(message withheld)";

/** Filters from events to the plain conversation, without canonical forms. */
export const CHAT_FILTERS: readonly FunctionDefinition[] = [
  defineFilter("to_chat_messages", "", (value) => chatMessages(value)),
  defineFilter("user_assistant_sequence", "", (value) => {
    return chatMessages(value)
      .map(({ type, content }) => `${type === "user" ? "User" : "Assistant"}: ${content}`)
      .join("\n");
  }),
];

/** Messages of a conversation, from its events. */
export function chatMessages(value: unknown): PromptMessage[] {
  const events = Array.isArray(value) ? (value as readonly GuardrailsEvent[]) : [];
  return hasInteractionLogs(events) ? loggedMessages(events) : eventMessages(events);
}

function eventMessages(events: readonly GuardrailsEvent[]): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let turnStart = 0;
  let current: number | undefined;
  for (const event of events) {
    switch (event.type) {
      case "UtteranceUserActionFinished":
        turnStart = messages.length;
        current = undefined;
        break;
      case "UserMessage":
        current = messages.length;
        messages.push({ type: "user", content: textOf(event["text"]) });
        break;
      case "StartUtteranceBotAction":
        messages.push({ type: "assistant", content: textOf(event["script"]) });
        break;
      case "mask_prev_user_message":
        if (current !== undefined) messages[current] = { type: "user", content: HIDDEN_MESSAGE };
        break;
      case "hide_prev_turn":
        messages.length = turnStart;
        current = undefined;
        break;
      default:
    }
  }
  return messages;
}

/** Reads the utterances of a Colang 2.x conversation. Every flow that matched an utterance logs it. */
function loggedMessages(events: readonly GuardrailsEvent[]): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let previous: string | undefined;
  for (const event of events) {
    if (event.type !== "UserActionLog" && event.type !== "BotActionLog") continue;
    const isOfUser = event.type === "UserActionLog";
    const text = utteranceText(event);
    if (text !== undefined && !(isOfUser && text === previous)) {
      messages.push({ type: isOfUser ? "user" : "assistant", content: text });
    }
    previous = isOfUser ? text : undefined;
  }
  return messages;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `co_v2`: from events to the equivalent lines of a Colang 2.x flow. */
export const CO_V2: FunctionDefinition = defineFilter("co_v2", "", (value, _, runtime) => {
  return Array.isArray(value) ? new FlowLines(value as readonly GuardrailsEvent[]).text : printed(value, runtime);
});

/** Fields of a `StartTool` that are not arguments of the tool. */
const BOOKKEEPING: ReadonlySet<string> = new Set(
  (
    "type uid event_created_at source_uid action_uid action_name flow_name flow_id flow_instance_uid " +
    "source_flow_instance_uid action_info_modality action_info_modality_policy"
  ).split(" "),
);

/**
 * Internal actions, which generate, look up or manage flows, or judge; their results are not part of the conversation.
 */
const INTERNAL_ACTIONS: ReadonlySet<string> = new Set([
  ...RAIL_ACTIONS,
  ...(
    "AddFlowsAction AnswerUserAction CheckFlowDefinedAction CheckForActiveEventMatchAction CheckValidFlowExistsAction " +
    "CreateFlowAction GenerateFlowAction GenerateFlowContinuationAction GenerateFlowFromInstructionsAction " +
    "GenerateFlowFromNameAction GenerateUserIntentAction GenerateUserIntentAndBotAction GenerateValueAction " +
    "GetAttentionPercentageAction GetLastUserMessageAction PassthroughLLMAction RemoveFlowsAction " +
    "RetrieveRelevantChunksAction RunOutputRailsAction UpdateAttentionMaterialAction UtteranceBotAction"
  ).split(" "),
]);

class FlowLines {
  readonly #lines: string[] = [];
  readonly #hasLogs: boolean;
  #turnStart = 0;
  /** Index of the user's last utterance. */
  #user: number | undefined;
  /** True until the input rails have replaced that utterance. */
  #isRaw = false;
  #previous: string | undefined;

  constructor(events: readonly GuardrailsEvent[]) {
    this.#hasLogs = hasInteractionLogs(events);
    const known = new Set<string>();
    for (const event of events) {
      if (event.uid !== undefined && known.has(event.uid)) continue;
      if (event.uid !== undefined) known.add(event.uid);
      this.#add(event);
    }
  }

  get text(): string {
    return this.#lines.map((line) => `  ${line}`).join("\n");
  }

  #add(event: GuardrailsEvent): void {
    const { type } = event;
    if (type === "UserActionLog" || type === "BotActionLog") this.#addLog(event);
    else if (type === "StartTool") this.#lines.push(toolCall(event));
    else if (type.endsWith("ActionFinished")) this.#addEnd(event);
    else if (this.#hasLogs) return;
    else if (type === "UserMessage") this.#addUser(event["text"], this.#isRaw);
    else if (type === "StartUtteranceBotAction") this.#lines.push(`bot say ${quoted(textOf(event["script"]))}`);
    else if (type === "mask_prev_user_message") this.#addUser(HIDDEN_MESSAGE, true);
    else if (type === "hide_prev_turn") {
      this.#lines.length = this.#turnStart;
      this.#user = undefined;
    }
  }

  /** Every flow that matched an utterance logs it. */
  #addLog(event: GuardrailsEvent): void {
    const line = actionText(event);
    const isOfUser = event.type === "UserActionLog";
    if (!isOfUser || line !== this.#previous) this.#lines.push(line);
    this.#previous = isOfUser ? line : undefined;
  }

  #addEnd(event: GuardrailsEvent): void {
    if (event.type === "UtteranceUserActionFinished") {
      if (this.#hasLogs) return;
      this.#turnStart = this.#lines.length;
      this.#addUser(event["final_transcript"], false);
      this.#isRaw = true;
      return;
    }
    const value = event["return_value"];
    if (value === undefined || value === null || INTERNAL_ACTIONS.has(event.type.slice(0, -"Finished".length))) return;
    this.#lines.push(`# ${oneLine(toPythonText(toValue(value)))}`);
  }

  /** INVARIANT: the rails' result replaces an utterance, so the original text is not shown. */
  #addUser(text: unknown, inPlace: boolean): void {
    const at = inPlace ? this.#user : this.#lines.length;
    this.#isRaw = false;
    if (at === undefined) return;
    this.#user = at;
    this.#lines[at] = `user said ${quoted(textOf(text))}`;
  }
}

function toolCall(event: GuardrailsEvent): string {
  const given = Object.entries(event).filter(([name]) => !BOOKKEEPING.has(name));
  const written = given.map(([name, value]) => ` $${oneLine(name)}=${literal(value)}`);
  return `await ${oneLine(textOf(event["flow_name"]))}${written.join("")}`;
}

function literal(value: unknown): string {
  return typeof value === "string" ? quoted(value) : oneLine(toPythonText(toValue(value)));
}
