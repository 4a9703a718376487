import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  type InvalidToolCall,
  SystemMessage,
  type ToolCall,
  ToolMessage,
} from "@langchain/core/messages";
import { isObject, type PlainObject, roleOf } from "../../langchain/values/message-kinds.js";
import type { Exchange } from "../upstream/exchange.js";
import type { WireMessage } from "./request.js";

/** A message of a conversation in OpenAI's format; steering messages of NeMo Guardrails are handled separately. */
export type ConversationMessage = Exclude<WireMessage, { readonly role: "context" | "event" }>;

/** Returns the same conversation as LangChain messages, which keep a reference to their originals. */
export function toMessages(messages: readonly ConversationMessage[], exchange: Exchange): BaseMessage[] {
  const toolNames = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") {
      for (const { id, function: called } of message.tool_calls ?? []) toolNames.set(id, called.name);
    }
    return exchange.remember(toMessage(message, toolNames), message);
  });
}

function toMessage(message: ConversationMessage, toolNames: ReadonlyMap<string, string>): BaseMessage {
  switch (message.role) {
    case "system":
      return new SystemMessage({ content: withoutCaching(message.content), ...nameOf(message) });
    case "developer": {
      // The key that `@langchain/openai` reads the role from.
      const kwargs = { __openai_role__: "developer" };
      const content = withoutCaching(message.content);
      return new SystemMessage({ content, additional_kwargs: kwargs, ...nameOf(message) });
    }
    case "user":
      return new HumanMessage({ content: withoutCaching(message.content), ...nameOf(message) });
    case "assistant":
      return assistantMessage(message);
    case "tool": {
      const name = toolNames.get(message.tool_call_id);
      const { tool_call_id } = message;
      const content = withoutCaching(message.content);
      return new ToolMessage({ content, tool_call_id, ...(name === undefined ? {} : { name }) });
    }
  }
}

type Part = Extract<ConversationMessage["content"], readonly unknown[]>[number];

/** Returns content for LangChain models, which have no field for the end of a cached prompt. */
function withoutCaching<Content extends string | readonly Part[]>(content: Content): Content {
  if (typeof content === "string") return content;
  if (!content.some((part) => "prompt_cache_breakpoint" in part)) return content;
  const parts = content.map((part) => {
    const { prompt_cache_breakpoint: _, ...kept } = part as Part & { readonly prompt_cache_breakpoint?: unknown };
    return kept;
  });
  return parts as readonly object[] as Content;
}

function nameOf({ name }: { readonly name?: string | undefined }): { name?: string } {
  return name === undefined ? {} : { name };
}

function assistantMessage(message: Extract<ConversationMessage, { readonly role: "assistant" }>): AIMessage {
  const { content, refusal, tool_calls: calls } = message;
  const blocks = Array.isArray(content)
    ? content.map((part) => ({ type: "text" as const, text: part.type === "text" ? part.text : part.refusal }))
    : (content ?? "");
  return new AIMessage({
    content: blocks === "" && typeof refusal === "string" ? refusal : blocks,
    ...readWireCalls(calls ?? []).calls,
    ...nameOf(message),
  });
}

/** A tool call in OpenAI's format. */
export interface WireToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Reads tool calls. Arguments that are not a JSON object result in an invalid tool call. */
export function readWireCalls(calls: readonly WireToolCall[]) {
  const tool_calls: ToolCall[] = [];
  const invalid_tool_calls: InvalidToolCall[] = [];
  const argumentTexts = new Map<unknown, string>();
  for (const {
    id,
    function: { name, arguments: text },
  } of calls) {
    const args = parseObject(text);
    if (args === undefined) {
      const error = "the arguments cannot be read";
      invalid_tool_calls.push({ type: "invalid_tool_call", id, name, args: text, error });
    } else {
      tool_calls.push({ type: "tool_call", id, name, args });
      argumentTexts.set(args, text);
    }
  }
  return { calls: { tool_calls, invalid_tool_calls }, argumentTexts };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = text === "" ? {} : JSON.parse(text);
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the messages for an OpenAI-compatible server; messages that rails left unchanged stay as the caller wrote them. */
export function toWireMessages(messages: readonly BaseMessage[], exchange: Exchange | undefined): object[] {
  return messages.map((message) => exchange?.originalOf(message) ?? toWireMessage(message));
}

function toWireMessage(message: BaseMessage): object {
  const { content, name } = message;
  const named = name === undefined || name === "" ? {} : { name };
  switch (roleOf(message)) {
    case "system": {
      const role =
        (message.additional_kwargs as PlainObject)["__openai_role__"] === "developer" ? "developer" : "system";
      return { role, content, ...named };
    }
    case "assistant": {
      const { tool_calls: calls = [] } = message as AIMessage;
      const written = calls.map(writeCall);
      if (written.length === 0) return { role: "assistant", content, ...named };
      return { role: "assistant", content: content === "" ? null : content, tool_calls: written, ...named };
    }
    case "tool":
      return { role: "tool", content, tool_call_id: (message as ToolMessage).tool_call_id };
    default:
      return { role: "user", content, ...named };
  }
}

function writeCall({ id, name, args }: ToolCall, index: number): WireToolCall {
  return { id: id ?? `call_${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

/**
 * Returns the tool calls of a message in OpenAI's format. Arguments that rails left unchanged stay as the model wrote them.
 *
 * @param texts - original arguments by the parsed ones
 */
export function writeCalls(message: AIMessage, texts: ReadonlyMap<unknown, string> | undefined): WireToolCall[] {
  const { tool_calls: calls = [], invalid_tool_calls: invalid = [] } = message;
  const parsed = calls.map((call, index): WireToolCall => {
    const text = texts?.get(call.args);
    const written = writeCall(call, index);
    return text === undefined ? written : { ...written, function: { name: call.name, arguments: text } };
  });
  const unread = invalid.map(({ id, name, args }, index): WireToolCall => ({
    id: id ?? `call_${calls.length + index}`,
    type: "function",
    function: { name: name ?? "", arguments: args ?? "" },
  }));
  return [...parsed, ...unread];
}
