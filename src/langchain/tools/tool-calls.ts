import { type BaseMessage, type InvalidToolCall, type ToolCall, ToolMessage } from "@langchain/core/messages";
import { toToolCallChunks } from "../models/chat-generation.js";
import { cloneMessage } from "../models/clone-message.js";
import { isToolCallBlock } from "../values/content-blocks.js";
import { isMessage, isObject, type PlainObject, roleOf } from "../values/message-kinds.js";
import { redactData, textsIn } from "../../turn/redact-data.js";
import { createRedactor } from "../../turn/redactor.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { registerVerdict } from "../values/registered-verdict.js";
import { sha256 } from "@langchain/core/utils/hash";
import { jsonText } from "../values/json-text.js";

/** A call that a model asks for. */
export interface ProposedCall {
  readonly name: string;
  readonly args: unknown;
  readonly id?: string | undefined;
  /** Why it cannot be judged. */
  readonly problem?: string | undefined;
}

const UNREADABLE = "the arguments cannot be read";

/**
 * All calls a message asks for, wherever the provider put them: those LangChain parsed, those it could not, and those that
 * stand only in the content or in the provider's own fields.
 */
export function readToolCalls(message: BaseMessage): readonly ProposedCall[] {
  if (roleOf(message) !== "assistant") return [];
  const { tool_calls: parsed, invalid_tool_calls: invalid } = message as {
    readonly tool_calls?: readonly ToolCall[];
    readonly invalid_tool_calls?: readonly InvalidToolCall[];
  };
  if (!parsed?.length && !invalid?.length && !mayHoldCalls(message)) return NO_CALLS;
  const calls: ProposedCall[] = (parsed ?? []).map(({ name, args, id }) => ({ name, args, id }));
  for (const { name, args, id } of invalid ?? []) calls.push({ name: name ?? "", args, id, problem: UNREADABLE });
  const isKnown = (call: ProposedCall): boolean =>
    calls.some(({ id, name }) => (call.id === undefined ? name === call.name : id === call.id));
  for (const call of [...callsInContent(message.content), ...callsInKwargs(message.additional_kwargs)]) {
    if (!isKnown(call)) calls.push(call);
  }
  return calls;
}

const NO_CALLS: readonly ProposedCall[] = [];

function mayHoldCalls({ content, additional_kwargs: kwargs }: BaseMessage): boolean {
  return typeof content !== "string" || (kwargs !== undefined && ("tool_calls" in kwargs || "function_call" in kwargs));
}

function callsInContent(content: BaseMessage["content"]): ProposedCall[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((block) => {
    if (!isObject(block) || !isToolCallBlock(block) || typeof block["name"] !== "string") return [];
    const id = block["id"] ?? block["call_id"];
    return [readCall(block["name"], block["input"] ?? block["args"] ?? block["arguments"], id)];
  });
}

function callsInKwargs(kwargs: PlainObject | undefined): ProposedCall[] {
  const { tool_calls: calls, function_call: single } = kwargs ?? {};
  const listed = Array.isArray(calls) ? (calls as readonly unknown[]).filter(isObject) : [];
  const entries = [...listed, ...(isObject(single) ? [{ function: single }] : [])] as readonly PlainObject[];
  return entries.flatMap(({ id, function: called }) =>
    isObject(called) ? [readCall(String(called["name"] ?? ""), called["arguments"], id)] : [],
  );
}

function readCall(name: string, args: unknown, id: unknown): ProposedCall {
  const known = typeof id === "string" ? { id } : {};
  if (typeof args !== "string") return { name, args, ...known };
  try {
    return { name, args: args === "" ? {} : (JSON.parse(args) as unknown), ...known };
  } catch {
    return { name, args, problem: UNREADABLE, ...known };
  }
}

/** Change of a call: other arguments, or its removal. */
export type ReviewedCall = ProposedCall & { readonly stripped?: boolean };

/**
 * The message with these calls in the place of its own. INVARIANT: the arguments of a call that was stripped or changed
 * stand nowhere in it, neither in the content nor in what providers leave in the metadata.
 */
export function replaceToolCalls<M extends BaseMessage>(
  message: M,
  before: readonly ProposedCall[],
  after: readonly ReviewedCall[],
): M {
  const gone = before.filter((call, index) => call.args !== after[index]?.args || after[index]?.stripped === true);
  if (gone.length === 0) return message;
  // INVARIANT: arguments that cannot be read never become some that can be run.
  const isInvalid = ({ problem, stripped }: ReviewedCall): boolean => problem !== undefined && stripped !== true;
  const tool_calls = after.flatMap((call, index): ToolCall[] => {
    const { name, args, id } = call;
    if (isInvalid(call)) return [];
    return [{ type: "tool_call", name, args: isObject(args) ? args : {}, id: id ?? `call_${index}` }];
  });
  const { invalid_tool_calls: given = [] } = message as { invalid_tool_calls?: readonly InvalidToolCall[] };
  const left = after.filter(isInvalid);
  const invalid_tool_calls = given.filter(({ name, id }) =>
    left.some((call) => (id === undefined ? (name ?? "") === call.name : id === call.id)),
  );
  const redactor = createRedactor(gone.flatMap(({ args }) => textsIn(args)));
  const { tool_calls: _calls, function_call: _single, ...kwargs } = (message.additional_kwargs ?? {}) as PlainObject;
  const metadata = (message.response_metadata ?? {}) as PlainObject;
  const copy = cloneMessage(message, {
    content: contentWith(message.content, tool_calls),
    additional_kwargs: redactData(kwargs, redactor) ?? {},
    response_metadata: redactData(withoutCalls(metadata), redactor) ?? {},
  });
  const chunks = "tool_call_chunks" in message ? { tool_call_chunks: toToolCallChunks(tool_calls) } : {};
  const changes = { tool_calls, invalid_tool_calls, ...chunks };
  const { lc_kwargs: fields } = copy as { lc_kwargs?: object };
  return Object.assign(copy, changes, fields === undefined ? {} : { lc_kwargs: { ...fields, ...changes } });
}

/** Applies the changes to calls that are also blocks of the content. */
function contentWith(content: BaseMessage["content"], calls: readonly ToolCall[]): BaseMessage["content"] {
  if (!Array.isArray(content)) return content;
  return (content as readonly unknown[]).flatMap((block) => {
    if (!isObject(block) || !isToolCallBlock(block)) return [block];
    const call = calls.find(({ id }) => id !== undefined && (block["id"] === id || block["call_id"] === id));
    if (call === undefined) return [];
    const renewed = Object.entries({ input: call.args, args: call.args, arguments: call.args }).flatMap(([key, args]) =>
      Object.hasOwn(block, key) ? [[key, typeof block[key] === "string" ? JSON.stringify(args) : args] as const] : [],
    );
    return [{ ...block, ...Object.fromEntries(renewed) }];
  }) as BaseMessage["content"];
}

/** The provider's own record of its answer holds the calls once more. */
function withoutCalls(metadata: PlainObject): PlainObject {
  const { output } = metadata;
  if (!Array.isArray(output)) return metadata;
  return {
    ...metadata,
    output: (output as readonly unknown[]).filter((item) => !(isObject(item) && isToolCallBlock(item))),
  };
}

/** Tool message with the refusal in place of a result. */
export function refusedResult({ name, id }: ProposedCall, refusal: string, verdict: GuardrailsMetadata): ToolMessage {
  return new ToolMessage({
    content: refusal,
    name,
    tool_call_id: id ?? "",
    status: "error",
    response_metadata: { guardrails: registerVerdict(verdict) },
  });
}

/**
 * Identity of a message: its id plus its content. INVARIANT: a message that is replaced under its id is another message.
 */
export function messageFingerprint(message: BaseMessage): string {
  // Agents give the result of a tool its id only after the rails have checked it.
  const { id, tool_call_id: call } = message as BaseMessage & { readonly tool_call_id?: string };
  return sha256(
    jsonText(
      [call ?? id ?? null, roleOf(message), message.content, readToolCalls(message)],
      "the parts of this message",
    ),
  );
}

/** Returns the key under which an object has messages of the bot, alone or in a list. */
export function keyOfAnswer(value: PlainObject): string | undefined {
  return Object.keys(value).find((key) =>
    [value[key]].flat().some((message) => isMessage(message) && roleOf(message) === "assistant"),
  );
}
