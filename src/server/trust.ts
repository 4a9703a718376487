import { AIMessage, type BaseMessage, type ToolCall } from "@langchain/core/messages";
import { rewriteWhole, wholeText } from "../langchain/values/message-extras.js";
import { cloneMessage, roleOf } from "../langchain/values/message-kinds.js";
import { hiddenMessage, withoutQuotes } from "../langchain/verdict.js";
import { DEFAULT_REFUSAL } from "../engine/default-refusal.js";
import type { EarlierReview } from "../runtime/history-review.js";
import type { GuardedConversation } from "../runtime/guarded-conversation.js";
import type { GuardrailsMetadata, RailDecision } from "../turn/decision.js";
import { HIDDEN_USER_TEXT } from "../turn/conversation.js";
import { textsIn } from "../turn/redact-data.js";
import type { Cancellation, MaybePromise } from "../engine/async.js";
import type { Caller } from "./access.js";
import { requirePermission } from "./access.js";
import type { Served } from "./configs.js";
import { definitionTexts, rewriteDefinitions } from "./definitions.js";
import { badRequest } from "./errors.js";
import type { ChatRequest } from "./openai-format/request.js";

/** Fields of the request that need the permission of the same name. */
const STEERING = ["context", "state"] as const;

type Extension = Pick<ChatRequest, "context" | "state" | "options">;

/**
 * Checks that the caller may send all fields of the request.
 *
 * @throws ApiError 403
 */
export function checkPermissions(caller: Caller, request: ChatRequest): void {
  checkSteering(caller, request, "");
  if (request.guardrails) checkSteering(caller, request.guardrails, "guardrails.");
  request.messages.forEach(({ role }, index) => {
    if (role === "context") requirePermission(caller, "context", `messages[${index}]`);
    if (role === "event") requirePermission(caller, "events", `messages[${index}]`);
  });
}

function checkSteering(caller: Caller, fields: Extension, prefix: string): void {
  for (const field of STEERING) {
    if (fields[field] !== undefined && fields[field] !== null) requirePermission(caller, field, `${prefix}${field}`);
  }
  for (const option in fields.options) {
    requirePermission(caller, option === "log" ? "log" : "rails", `${prefix}options.${option.slice(0, 100)}`);
  }
}

/** @throws ApiError 400 for messages that the server reads only from its own thread, or does not accept */
export function refuseHistory(request: ChatRequest): void {
  const at = request.messages.findIndex(({ role }) => role !== "user" && role !== "tool");
  if (at === -1) return;
  const message = `Invalid value: '${request.messages[at]?.role ?? ""}'. This server takes messages of the roles 'user' and 'tool' only; conversations are kept under 'thread_id'.`;
  throw badRequest(message, `messages[${at}].role`, "invalid_value");
}

/** A request as rails left it, with a verdict if it is blocked. */
export interface ReviewedRequest {
  readonly messages: readonly BaseMessage[];
  /** Parameters for the model. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly decisions: readonly RailDecision[];
  readonly blocked?: BlockedRequest;
}

/** A blocked request: an input rail blocked one of the caller's texts. */
export interface BlockedRequest {
  readonly verdict: GuardrailsMetadata;
  readonly refusal: string;
}

type GivenRequest = Pick<ReviewedRequest, "messages" | "parameters">;

/** Returns the request unchanged, without decisions. */
export function unreviewed({ messages, parameters }: GivenRequest): ReviewedRequest {
  return { messages, parameters, decisions: [] };
}

/** A text of a message that the rails of the turn do not read, and how to handle it. */
interface CallerText {
  readonly text: string;
  readonly index: number;
  readonly apply: (message: BaseMessage, left: string | undefined) => BaseMessage;
}

/**
 * Runs the input rails over the texts of a remote caller that the turn treats as the application's: system messages, earlier
 * messages of every role, tool definitions, schemas and predictions. Blocked earlier messages are hidden; a blocked system
 * message or definition blocks the request.
 */
export function reviewCallerTexts(
  given: GivenRequest,
  served: Served,
  cancellation: Cancellation,
): MaybePromise<ReviewedRequest> {
  const texts = callerTexts(given.messages);
  const definitions = definitionTexts(given.parameters);
  if (texts.length + definitions.length === 0) return unreviewed(given);
  return reviewTexts(given, { texts, definitions, served, signal: cancellation.signal });
}

interface TextsOfCaller {
  readonly texts: readonly CallerText[];
  readonly definitions: readonly string[];
  readonly served: Served;
  readonly signal: AbortSignal;
}

async function reviewTexts(
  given: GivenRequest,
  { texts, definitions, served: { host }, signal }: TextsOfCaller,
): Promise<ReviewedRequest> {
  const conversation = host.runtime.open({ config: { signal } }, { redact: withoutQuotes, notify: () => undefined });
  try {
    if (!conversation.reviewsHistory("review")) return unreviewed(given);
    const changed = await conversation.history([...new Set(texts.map(({ text }) => text))], "review");
    const refused = texts.find(
      ({ text, index }) => conversation.hidden.has(text) && isInstruction(given.messages[index] as BaseMessage),
    )?.text;
    const whole = definitions.join("\n");
    const parameters =
      refused === undefined ? await reviewDefinitions(given.parameters, definitions, conversation) : undefined;
    const decisions = conversation.takeHistory();
    if (parameters === undefined) {
      return { ...given, decisions, blocked: blockedBy(conversation.hidden.get(refused ?? whole), decisions) };
    }
    const messages = [...given.messages];
    for (const { text, index, apply } of texts) {
      if (changed.has(text)) messages[index] = apply(messages[index] as BaseMessage, changed.get(text));
    }
    return { messages, parameters, decisions };
  } finally {
    conversation.close();
  }
}

function isInstruction(message: BaseMessage): boolean {
  return roleOf(message) === "system";
}

/**
 * Reviews all definitions as one text. If a rail rewrites that text, each definition text is rewritten separately.
 *
 * @returns undefined if the request has to be blocked
 */
async function reviewDefinitions(
  parameters: ReviewedRequest["parameters"],
  texts: readonly string[],
  conversation: GuardedConversation,
): Promise<ReviewedRequest["parameters"] | undefined> {
  if (texts.length === 0) return parameters;
  const whole = texts.join("\n");
  const left = await conversation.history([whole], "review");
  if (!left.has(whole)) return parameters;
  if (left.get(whole) === undefined) return undefined;
  const changed = await conversation.history(texts, "rewrite");
  // A change that spans several texts cannot be applied to them separately.
  return changed.size === 0 ? undefined : rewriteDefinitions(parameters, changed);
}

/** @param review - that of the blocking text; undefined for a change that cannot be applied to the definitions */
function blockedBy(review: EarlierReview | undefined, decisions: readonly RailDecision[]): BlockedRequest {
  const rail = (review?.decisions.findLast(({ status }) => hasBlocked(status)) ?? decisions.at(-1))?.rail;
  const verdict = { blocked: true, stage: "input" as const, ...(rail === undefined ? {} : { rail }), decisions };
  return { verdict, refusal: review?.refusal ?? DEFAULT_REFUSAL };
}

function hasBlocked(status: RailDecision["status"]): boolean {
  return status === "blocked" || status === "error";
}

function callerTexts(messages: readonly BaseMessage[]): CallerText[] {
  const answered = messages.findLastIndex((message) => roleOf(message) === "assistant");
  return messages.flatMap((message, index): CallerText[] => {
    const role = roleOf(message);
    if (role !== "system" && index > answered) return [];
    const text = wholeText(message);
    const args = callText(message);
    return [
      ...(text === "" ? [] : [{ text, index, apply: rewriteEarlier }]),
      ...(args === "" ? [] : [{ text: args, index, apply: withoutArguments }]),
    ];
  });
}

/** Returns names and arguments of the tool calls in a message, as one text. */
export function callText(message: BaseMessage): string {
  const { tool_calls: calls = [], invalid_tool_calls: invalid = [] } = message as AIMessage;
  return textsIn([calls.map(({ name, args }) => [name, args]), invalid.map((call) => call.args)]).join("\n");
}

function rewriteEarlier(message: BaseMessage, left: string | undefined): BaseMessage {
  if (left !== undefined) return rewriteWhole(message, left);
  if (roleOf(message) !== "assistant") return hiddenMessage(message);
  const { tool_calls = [] } = message as AIMessage;
  // The tool calls stay, because tool results must follow them.
  return new AIMessage({ content: HIDDEN_USER_TEXT, tool_calls });
}

/** INVARIANT: rails read names and arguments as one text, so a block may concern either. */
function withoutArguments(message: BaseMessage): BaseMessage {
  const { tool_calls: calls = [] } = message as AIMessage;
  const hidden = calls.map(({ id }): ToolCall => ({
    name: HIDDEN_TOOL,
    args: {},
    type: "tool_call",
    ...(id === undefined ? {} : { id }),
  }));
  return cloneMessage(message, { tool_calls: hidden, invalid_tool_calls: [] });
}

const HIDDEN_TOOL = "hidden";
