import { type BaseMessage, type ToolCall, ToolMessage, AIMessageChunk, type AIMessage } from "@langchain/core/messages";
import { attempt } from "../../engine/walk.js";
import { hasHandlers } from "../callbacks.js";
import { isToolCallBlock } from "../values/content-blocks.js";
import { toToolCallChunks, writeToGraph, dispatchEvents, withVerdict } from "../verdict.js";
import {
  cloneMessage,
  isMessage,
  isObject,
  type MessageChanges,
  type PlainObject,
  roleOf,
} from "../values/message-kinds.js";
import { redactData, textsIn } from "../../turn/redact-data.js";
import { createRedactor } from "../../turn/redactor.js";
import type { GuardrailsMetadata, RailDecision } from "../../turn/decision.js";
import { sha256 } from "@langchain/core/utils/hash";
import { jsonText } from "../shape-error.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  contentWith,
  copiedCalls,
  isCopy,
  mayHoldCopies,
  outputWithout,
  type ProposedCall,
  UNREADABLE,
} from "./call-copies.js";
import type { TurnResult } from "../../turn/result.js";

type NamedCall = Pick<ProposedCall, "name" | "id">;

/**
 * All tool calls of a message, wherever the provider put them: those that LangChain parsed, those it could not, and
 * those found only in the content or in the provider's own fields.
 */
export function readToolCalls(message: BaseMessage): readonly ProposedCall[] {
  if (roleOf(message) !== "assistant") return [];
  const { tool_calls: parsed, invalid_tool_calls: invalid } = message as Partial<AIMessage>;
  const mayHold = mayHoldCopies(message);
  if (!parsed?.length && !invalid?.length && !mayHold) return NO_CALLS;
  const calls: ProposedCall[] = (parsed ?? []).map(({ name, args, id }) => ({ name, args, id }));
  for (const { name, args, id } of invalid ?? []) calls.push({ name: name ?? "", args, id, problem: UNREADABLE });
  if (!mayHold) return calls;
  for (const call of copiedCalls(message)) if (!calls.some((known) => isCopy(call, known))) calls.push(call);
  return calls;
}

const NO_CALLS: readonly ProposedCall[] = [];

/** Returns a test for copies of the message's own calls, which tool-call rails read. */
export function callTexts(message: BaseMessage): (block: PlainObject) => boolean {
  let known: ReadonlySet<string> | undefined;
  return (block) => {
    if (!isToolCallBlock(block)) return false;
    known ??= new Set(readToolCalls(message).map(({ args }) => textOfArgs(args)));
    return known.has(textOfArgs(block["arguments"] ?? block["args"] ?? block["input"]));
  };
}

function textOfArgs(args: unknown): string {
  const read = typeof args === "string" ? (attempt(() => JSON.parse(args) as unknown) ?? args) : args;
  return attempt(() => JSON.stringify(read)) ?? "";
}

/** A changed call: other arguments, or its removal. */
export type ReviewedCall = ProposedCall & { readonly stripped?: boolean };

/**
 * Returns the message with these calls instead of its own. INVARIANT: no arguments of a stripped or changed call
 * remain, neither in the content nor in metadata.
 */
export function replaceToolCalls<M extends BaseMessage>(
  message: M,
  before: readonly ProposedCall[],
  after: readonly ReviewedCall[],
): M {
  const gone = before.filter((call, index) => call.args !== after[index]?.args || after[index]?.stripped === true);
  if (gone.length === 0) return message;
  // INVARIANT: unparseable arguments never become runnable.
  const isInvalid = ({ problem, stripped }: ReviewedCall): boolean => problem !== undefined && stripped !== true;
  const tool_calls = after.flatMap((call, index): ToolCall[] => {
    const { name, args, id } = call;
    if (isInvalid(call)) return [];
    return [{ type: "tool_call", name, args: isObject(args) ? args : {}, id: id ?? `call_${index}` }];
  });
  const { invalid_tool_calls: given = [] } = message as Partial<AIMessage>;
  const left = after.filter(isInvalid);
  const invalid_tool_calls = given.filter(({ name, id }) =>
    left.some((call) => (id === undefined ? (name ?? "") === call.name : id === call.id)),
  );
  const redactor = createRedactor(gone.flatMap(({ args }) => textsIn(args)));
  const { tool_calls: _calls, function_call: _single, ...kwargs } = (message.additional_kwargs ?? {}) as PlainObject;
  const metadata = (message.response_metadata ?? {}) as PlainObject;
  return cloneWithCalls(message, {
    content: contentWith(message.content, tool_calls),
    additional_kwargs: redactData(kwargs, redactor) ?? {},
    response_metadata: redactData(outputWithout(metadata), redactor) ?? {},
    tool_calls,
    invalid_tool_calls,
  });
}

/** Copies a message or a chunk with other calls. */
export function cloneWithCalls<M extends BaseMessage>(message: M, changes: MessageChanges): M {
  const { tool_calls = [] } = changes;
  const isChunk = "tool_call_chunks" in message;
  return cloneMessage(message, isChunk ? { ...changes, tool_call_chunks: toToolCallChunks(tool_calls) } : changes);
}

/** Tool message with the refusal instead of a result. */
export function refusedResult({ name, id }: NamedCall, refusal: string, verdict: GuardrailsMetadata): ToolMessage {
  const message = new ToolMessage({ content: refusal, name, tool_call_id: id ?? "", status: "error" });
  // A refusal is not reviewed like a result.
  return withVerdict(message, { ...verdict, fingerprint: messageFingerprint(message) });
}

/** Identity of a message: its id and its content. INVARIANT: a message replaced under its id has another identity. */
export function messageFingerprint(message: BaseMessage): string {
  // Agents assign the id of a tool's result only after the rails have checked it.
  const { id, tool_call_id: call } = message as BaseMessage & { readonly tool_call_id?: string };
  const { content } = message;
  const calls = readToolCalls(message);
  const known = call ?? id ?? null;
  const before = fingerprints.get(message);
  if (before !== undefined && before.known === known && before.content === content && calls.length === 0)
    return before.fingerprint;
  const parts = [known, roleOf(message), content, calls];
  const fingerprint = sha256(jsonText(parts, "the parts of this message"));
  if (typeof content === "string" && calls.length === 0) fingerprints.set(message, { known, content, fingerprint });
  return fingerprint;
}

/** Fingerprints of text-only messages, cached because each hook of an agent reads them. */
const fingerprints = new WeakMap<
  BaseMessage,
  { readonly known: string | null; readonly content: string; readonly fingerprint: string }
>();

/** Returns the key under which an object has messages of the bot, as a list or a single message. */
export function keyOfResponse(value: PlainObject): string | undefined {
  return Object.keys(value).find((key) =>
    [value[key]].flat().some((message) => isMessage(message) && roleOf(message) === "assistant"),
  );
}

/** Name of the custom event for each delegated action and event. */
const DELEGATED_EVENT = "guardrails.event";

/** A tool call made by a flow. */
export type DelegatedCall = ToolCall & { readonly id: string };

/**
 * Splits delegated actions into tool calls and events. An agent runs everything that looks like a call, so gestures are
 * events, unless the caller has a tool of that name.
 */
export function delegatedOf({ toolCalls = [], actions = [], events = [] }: TurnResult, tools: readonly string[]) {
  if (actions.length === 0 && events.length === 0) return { calls: [], events: [] };
  const forTools = toolCalls.filter(({ name, modality }) => modality === undefined || tools.includes(name));
  const ids = new Set<unknown>(toolCalls.map(({ id }) => id));
  for (const { id } of forTools) ids.delete(id);
  return {
    calls: forTools.map(({ id, name, args }): DelegatedCall => ({ id, name, args: { ...args }, type: "tool_call" })),
    // These include requests that no tool performs: gestures, timers, scenes.
    events: [...actions.filter(({ action_uid: uid }) => ids.has(uid)), ...events],
  };
}

/** Marks the calls that passed the tool rails, so that the tools need not run the rails again. */
export function signCalls(
  decisions: readonly RailDecision[],
  calls: readonly DelegatedCall[],
): readonly RailDecision[] {
  const signed = [...decisions];
  for (const call of calls) {
    const at = decisions.findLastIndex(
      ({ stage, metadata: { checked, toolCallId } = {} }) =>
        stage === "execution" && checked === "call" && toolCallId === call.id,
    );
    const decision = decisions[at];
    if (decision === undefined) continue;
    signed[at] = { ...decision, metadata: { ...decision.metadata, passed: fingerprint(call) } };
  }
  return signed;
}

/**
 * Adds these calls to a response: to its message, or to the bot's last message among several. A text cannot carry calls;
 * then only handlers receive them.
 *
 * @param next - first unused call index in a stream
 */
export function withDelegatedCalls(
  value: unknown,
  calls: readonly DelegatedCall[],
  { next = 0, isInside = false }: { readonly next?: number; readonly isInside?: boolean } = {},
): unknown {
  if (calls.length === 0) return value;
  if (isMessage(value)) return addCalls(value, calls, next);
  if (Array.isArray(value)) {
    const last = value.findLastIndex((item) => isMessage(item) && roleOf(item) === "assistant");
    return last === -1 ? value : value.with(last, addCalls(value[last] as BaseMessage, calls, next));
  }
  if (!isObject(value) || isInside) return value;
  const key = keyOfResponse(value);
  if (key === undefined) return value;
  return { ...value, [key]: withDelegatedCalls(value[key], calls, { next, isInside: true }) };
}

function addCalls<M extends BaseMessage>(message: M, calls: readonly DelegatedCall[], next: number): M {
  const messageCalls = (message as unknown as AIMessage).tool_calls ?? [];
  const changes = { tool_calls: [...messageCalls, ...calls] };
  if (!AIMessageChunk.isInstance(message)) return cloneMessage(message, changes);
  const chunks = message.tool_call_chunks ?? [];
  const first = Math.max(next - 1, ...chunks.map(({ index }) => index ?? 0)) + 1;
  const added = toToolCallChunks(calls).map((chunk, index) => ({ ...chunk, index: first + index }));
  return cloneMessage(message, { ...changes, tool_call_chunks: [...chunks, ...added] });
}

/**
 * Emits delegated actions and events to the handlers of the run, and in a graph to its `custom` stream. INVARIANT: a
 * blocked turn emits nothing, and no turn emits what its flows have revoked.
 */
export async function announceDelegated(
  { status, actions = [], toolCalls = [], events = [] }: TurnResult,
  config: RunnableConfig | undefined,
): Promise<void> {
  if (config === undefined || status !== "answered") return;
  const asked = new Set<unknown>(toolCalls.map(({ id }) => id));
  const emitted = [...actions.filter(({ action_uid: uid }) => asked.has(uid)), ...events];
  if (emitted.length === 0) return;
  for (const event of emitted) writeToGraph(config, { type: DELEGATED_EVENT, event });
  if (hasHandlers(config.callbacks)) await dispatchEvents(DELEGATED_EVENT, emitted, config);
}

/** Returns true if output rails read the arguments of calls of this tool. */
export type ReadsCall = (name: string) => boolean;

/** Choices that let the model decide whether it calls a tool. */
const FREE_CHOICES: ReadonlySet<unknown> = new Set([undefined, null, false, "auto", "none"]);

/**
 * Tools whose calls are the response to the user: tools without an implementation, when the model must call one. Agents
 * and extraction chains request structured responses this way.
 */
export function responseToolNames({ tools, tool_choice: choice }: PlainObject): readonly string[] {
  if (!Array.isArray(tools) || FREE_CHOICES.has(isObject(choice) ? (choice["type"] ?? choice) : choice)) return [];
  const isRunnable = (tool: PlainObject): boolean =>
    typeof tool["invoke"] === "function" || typeof tool["func"] === "function";
  return toolNames(tools.filter((tool) => isObject(tool) && !isRunnable(tool)));
}

/** Names of tools in any form that models accept. */
export function toolNames(tools: readonly unknown[]): readonly string[] {
  return tools.flatMap((tool) => (isObject(tool) ? (toolNameOf(tool) ?? []) : []));
}

/** Tools of a model call. */
export interface CallTools {
  /** Selects calls that are the response itself, so that rails also read their arguments. */
  readonly reads: ReadsCall;
  /** Names of the tools offered to the model; undefined if unknown. */
  readonly names?: readonly string[] | undefined;
}

/** @param chosen - tools whose arguments output rails read: by name, all, or none */
export function callTools(tools: readonly unknown[], chosen: boolean | readonly string[] = false): CallTools {
  const reads: ReadsCall = typeof chosen === "boolean" ? () => chosen : (name) => chosen.includes(name);
  const names = toolNames(tools);
  // A tool without a readable name makes the offered names unknown.
  return { reads, names: names.length === 0 || names.length < tools.length ? undefined : names };
}

/** Tools of a model and those of one call. */
export function offeredTools(bound: readonly unknown[], { tools }: PlainObject): readonly unknown[] {
  return Array.isArray(tools) ? [...bound, ...(tools as readonly unknown[])] : bound;
}

/** Name of a LangChain tool, or of a provider's tool definition. */
export function toolNameOf(tool: PlainObject): string | undefined {
  const { name } = descriptionOf(tool);
  return typeof name === "string" ? name : undefined;
}

/** The part of a tool definition with its name and schema: providers keep it under `function`. */
export function descriptionOf(tool: PlainObject): PlainObject {
  return isObject(tool["function"]) ? tool["function"] : tool;
}

/** Fingerprint of a call with its arguments. */
export function fingerprint({ name, id, args }: Pick<ProposedCall, "name" | "id" | "args">): string {
  return sha256(jsonText([name, id ?? null, args], "the arguments of this tool call"));
}
