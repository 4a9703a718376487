import {
  type AIMessageChunk,
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  type InvalidToolCall,
  type ToolCall,
  type ToolCallChunk,
  type UsageMetadata,
} from "@langchain/core/messages";

/** A prompt template's result, from any copy of LangChain. */
interface PromptValueLike {
  toChatMessages(): BaseMessage[];
}

export type PlainObject = Readonly<Record<string, unknown>>;

/** Returns the set of words in these texts, separated by single spaces. */
export function wordSet(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(" ")));
}

/** Fields of LangChain's messages. */
export const MESSAGE_KEYS: ReadonlySet<string> = wordSet(
  "lc_serializable lc_kwargs lc_namespace lc_runnable lc_direct_tool_output type role id name content additional_kwargs",
  "response_metadata usage_metadata tool_calls invalid_tool_calls tool_call_chunks tool_call_id status artifact metadata",
  "example",
);

/** Detects messages by their methods, so that those of another copy of LangChain count too. */
export function isMessage(value: unknown): value is BaseMessage {
  if (typeof value !== "object" || value === null) return false;
  const message = value as { getType?: unknown; _getType?: unknown };
  return "content" in value && (typeof message.getType === "function" || typeof message._getType === "function");
}

export function isPromptValue(value: unknown): value is PromptValueLike {
  return typeof value === "object" && value !== null && typeof (value as PromptValueLike).toChatMessages === "function";
}

export function isObject(value: unknown): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `{ role, content }`, `["human", "hi"]`, a string or a message. */
export function isMessageLike(value: unknown): boolean {
  if (typeof value === "string" || isMessage(value)) return true;
  if (Array.isArray(value)) return value.length === 2 && typeof value[0] === "string";
  return isMessageData(value) || (isObject(value) && typeof value["role"] === "string" && "content" in value);
}

const DATA_KINDS: ReadonlySet<unknown> = new Set(["human", "user", "ai", "assistant", "system", "developer"]);

/** Returns true for a message as plain data, detected by `role` or `type`: remote graphs send such messages. */
function isMessageData(value: unknown): value is PlainObject {
  if (!isObject(value) || isMessage(value) || !("content" in value)) return false;
  const kind = value["role"] ?? value["type"];
  return DATA_KINDS.has(kind) || (kind === "tool" && typeof value["tool_call_id"] === "string");
}

/** Returns true for a message, as an object or as plain data. */
export function isReadableMessage(value: unknown): boolean {
  return isMessage(value) || isMessageData(value);
}

export function toMessage(value: unknown): BaseMessage {
  return isMessage(value) ? value : coerceMessageLikeToMessage(value as BaseMessageLike);
}

type MessageRole = "user" | "assistant" | "tool" | "system";

export function roleOf(message: BaseMessage): MessageRole {
  const type = message.getType();
  if (type === "human") return "user";
  if (type === "ai") return "assistant";
  if (type === "tool" || type === "function") return "tool";
  if (type === "system" || type === "developer" || type === "remove") return "system";
  const { role } = message as { readonly role?: unknown };
  if (role === "assistant" || role === "ai" || role === "bot") return "assistant";
  if (role === "system" || role === "developer") return "system";
  return role === "tool" ? "tool" : "user";
}

/** Returns true for a message that is only text: without name, metadata and tool calls. */
export function isOnlyText(message: AIMessageChunk): message is AIMessageChunk & { readonly content: string } {
  const { content, name, tool_call_chunks: chunks, tool_calls: calls, invalid_tool_calls: invalid } = message;
  if (typeof content !== "string" || name !== undefined) return false;
  if (!isEmpty(message.additional_kwargs) || !isEmpty(message.response_metadata)) return false;
  return !isFilled(chunks) && !isFilled(calls) && !isFilled(invalid);
}

function isEmpty(record: object | undefined): boolean {
  for (const _key in record) return false;
  return true;
}

function isFilled(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > 0;
}

/** Returns true for a response with tool calls, which does not end a turn. */
export function asksForTools(message: BaseMessage): boolean {
  const calls = (message as { tool_calls?: unknown }).tool_calls;
  return roleOf(message) === "assistant" && Array.isArray(calls) && calls.length > 0;
}

/** Replaces an earlier message, or returns it unchanged. */
export type EditMessage = (message: BaseMessage) => BaseMessage;

/** Edits the messages before an index; returns the same list if nothing changes. */
export function editEach(messages: readonly BaseMessage[], before: number, edit?: EditMessage): readonly BaseMessage[] {
  if (edit === undefined) return messages;
  const changed = messages.map((message, index) => (index < before ? edit(message) : message));
  return changed.every((message, index) => message === messages[index]) ? messages : changed;
}

/** Copies an object of any class with other properties. */
export function copyOf<Value extends object>(value: Value, changes: object): Value {
  return Object.assign(Object.create(Object.getPrototypeOf(value) as object | null) as Value, value, changes);
}

export interface MessageChanges {
  readonly content?: BaseMessage["content"];
  readonly response_metadata?: BaseMessage["response_metadata"];
  readonly additional_kwargs?: BaseMessage["additional_kwargs"];
  readonly usage_metadata?: UsageMetadata | undefined;
  readonly tool_calls?: readonly ToolCall[];
  readonly invalid_tool_calls?: readonly InvalidToolCall[];
  readonly name?: string | undefined;
  readonly artifact?: unknown;
  readonly tool_call_chunks?: readonly ToolCallChunk[];
}

/**
 * Copies a message with some fields changed; returns the same message if none changes. A constructor call would lose
 * fields of subclasses, and would turn a chunk of one copy of the library into a message of another.
 */
export function cloneMessage<M extends BaseMessage>(message: M, changes: MessageChanges): M {
  const before = message as unknown as PlainObject;
  const after = changes as PlainObject;
  if (Object.keys(changes).every((key) => after[key] === before[key])) return message;
  const copy = copyOf(message, changes);
  const { lc_kwargs: kwargs } = before;
  // INVARIANT: a serialised copy has the new content, never the old.
  if (isObject(kwargs)) {
    const fields: Record<string, unknown> = Object.assign({}, kwargs, { content: copy.content }, changes);
    if ("contentBlocks" in fields) delete fields["contentBlocks"];
    (copy as unknown as Record<string, unknown>)["lc_kwargs"] = fields;
  }
  return copy;
}
