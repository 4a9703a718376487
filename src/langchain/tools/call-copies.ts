import type { AIMessage, AIMessageChunk, BaseMessage, ToolCall } from "@langchain/core/messages";
import { hasRepeatedKey, parseUniqueJson } from "../../engine/unique-json.js";
import { jsonText } from "../shape-error.js";
import { isToolCallBlock } from "../values/content-blocks.js";
import { cloneMessage, isObject, type PlainObject, roleOf, wordSet } from "../values/message-kinds.js";
import { toToolCallChunks } from "../verdict.js";

/** A tool call requested by a model. */
export interface ProposedCall {
  readonly name: string;
  readonly args: unknown;
  readonly id?: string | undefined;
  /** Reason why it cannot be judged. */
  readonly problem?: string | undefined;
}

export const UNREADABLE = "the arguments cannot be read";

/** Returns true if a message may have tool calls outside of its parsed ones. */
export function mayHoldCopies({
  content,
  additional_kwargs: kwargs,
  response_metadata: metadata,
}: BaseMessage): boolean {
  if (typeof content !== "string") return true;
  const { tool_calls: calls = null, function_call: single = null } = kwargs ?? {};
  return calls !== null || single !== null || Array.isArray((metadata as PlainObject | undefined)?.["output"]);
}

/** Returns the tool calls in the content, in the provider's fields and in its raw response. */
export function copiedCalls({
  content,
  additional_kwargs: kwargs,
  response_metadata: metadata,
}: BaseMessage): readonly ProposedCall[] {
  return [
    ...callsInBlocks(content),
    ...callsInKwargs(kwargs),
    ...callsInBlocks((metadata as PlainObject | undefined)?.["output"]),
  ];
}

/** Returns true if both are one call: some providers give calls no id. */
export function isCopy(copy: ProposedCall, { id, name }: Pick<ProposedCall, "id" | "name">): boolean {
  return copy.id === undefined ? name === copy.name : id === copy.id;
}

function callsInBlocks(blocks: unknown): readonly ProposedCall[] {
  if (!Array.isArray(blocks)) return [];
  return (blocks as readonly unknown[]).flatMap((block) => {
    if (!isToolCallBlock(block)) return [];
    const { name, input, args, arguments: text } = bodyOf(block);
    return typeof name === "string" ? [readCall(name, input ?? args ?? text, idOf(block))] : [];
  });
}

/** Returns the part of a block with the name and the arguments: Google keeps them under `functionCall`. */
function bodyOf(block: PlainObject): PlainObject {
  return isObject(block["functionCall"]) ? block["functionCall"] : block;
}

/** Returns the id of the call; OpenAI gives the block another one. */
function idOf(block: PlainObject): unknown {
  return block["call_id"] ?? block["id"] ?? bodyOf(block)["id"];
}

function callsInKwargs(kwargs: PlainObject | undefined): readonly ProposedCall[] {
  const { tool_calls: calls, function_call: single } = kwargs ?? {};
  const entries: readonly unknown[] = [calls ?? [], { function: single }].flat();
  return entries
    .filter(isObject)
    .flatMap(({ id, function: called }) =>
      isObject(called) ? [readCall(String(called["name"] ?? ""), called["arguments"], id)] : [],
    );
}

function readCall(name: string, args: unknown, id: unknown): ProposedCall {
  const known = typeof id === "string" ? { id } : {};
  if (typeof args !== "string") return { name, args, ...known };
  try {
    return { name, args: args === "" ? {} : parseUniqueJson(args), ...known };
  } catch {
    return { name, args, problem: UNREADABLE, ...known };
  }
}

/**
 * Returns the message with the name and arguments of each parsed call copied to its duplicates in the content, in the provider's
 * fields and in the pieces of a stream. INVARIANT: rails read a call once, so no copy may differ.
 */
export function withEqualCalls<M extends BaseMessage>(message: M): M {
  const { tool_calls: calls } = message as Partial<AIMessage>;
  if (calls === undefined || calls.length === 0 || roleOf(message) !== "assistant") return message;
  const pieces = equalPieces(message as Partial<AIMessageChunk>);
  if (pieces === undefined && !mayHoldCopies(message)) return message;
  const { content, additional_kwargs: kwargs, response_metadata: metadata } = message;
  const differs = (copy: ProposedCall): boolean => {
    const call = calls.find((known) => isCopy(copy, known));
    return (
      call !== undefined && (copy.problem !== undefined || call.name !== copy.name || !isSameData(call.args, copy.args))
    );
  };
  const inContent = callsInBlocks(content).some(differs);
  const inKwargs = callsInKwargs(kwargs).some(differs);
  const inOutput = callsInBlocks((metadata as PlainObject | undefined)?.["output"]).some(differs);
  if (!inContent && !inKwargs && !inOutput && pieces === undefined) return message;
  const { tool_calls: _calls, function_call: _single, ...others } = (kwargs ?? {}) as PlainObject;
  return cloneMessage(message, {
    ...(inContent ? { content: contentWith(content, calls, true) } : {}),
    ...(inKwargs ? { additional_kwargs: others } : {}),
    ...(inOutput ? { response_metadata: outputWithout(metadata as PlainObject) } : {}),
    ...(pieces === undefined ? {} : { tool_calls: calls, tool_call_chunks: pieces }),
  });
}

const PIECE_KEYS = wordSet("type name args id index");

/**
 * Returns pieces that hold the calls alone; undefined if the given ones do. They differ if a key of the arguments is repeated, if
 * several pieces form a call, or in fields that calls do not have.
 */
function equalPieces({
  tool_calls: calls = [],
  invalid_tool_calls: invalid = [],
  tool_call_chunks: pieces = [],
}: Partial<AIMessageChunk>): AIMessageChunk["tool_call_chunks"] | undefined {
  const isPlain = (piece: (typeof pieces)[number]): boolean =>
    Object.keys(piece).every((key) => PIECE_KEYS.has(key)) &&
    (piece.type ?? PIECE_TYPE) === PIECE_TYPE &&
    !hasRepeatedKey(piece.args ?? "");
  if (pieces.length === 0 || (pieces.length === calls.length + invalid.length && pieces.every(isPlain)))
    return undefined;
  return toToolCallChunks(calls).map((piece, at) => ({ ...piece, index: pieces[at]?.index ?? at }));
}

const PIECE_TYPE = "tool_call_chunk";

function isSameData(left: unknown, right: unknown): boolean {
  const hint = "the arguments of this tool call";
  return jsonText(left, hint) === jsonText(right, hint);
}

/**
 * Applies the changes to calls that are also content blocks.
 *
 * @param keepsOthers - true to keep the blocks of other calls
 */
export function contentWith(
  content: BaseMessage["content"],
  calls: readonly ToolCall[],
  keepsOthers = false,
): BaseMessage["content"] {
  if (!Array.isArray(content)) return content;
  return (content as readonly unknown[]).flatMap((block) => {
    if (!isToolCallBlock(block)) return [block];
    const id = idOf(block);
    // A call without an id is matched by its name, which several calls may have: then no block of it is kept.
    const named = id === undefined ? calls.filter(({ name }) => name === bodyOf(block)["name"]) : [];
    const call =
      calls.find((candidate) => candidate.id !== undefined && (id === candidate.id || block["id"] === candidate.id)) ??
      (named.length === 1 ? named[0] : undefined);
    if (call === undefined) return keepsOthers && named.length === 0 ? [block] : [];
    return [renewed(block, call)];
  }) as BaseMessage["content"];
}

function renewed(block: PlainObject, call: ToolCall): PlainObject {
  if (isObject(block["functionCall"])) return { ...block, functionCall: renewed(block["functionCall"], call) };
  const changed = Object.entries({ input: call.args, args: call.args, arguments: call.args }).flatMap(([key, args]) =>
    Object.hasOwn(block, key) ? [[key, typeof block[key] === "string" ? JSON.stringify(args) : args] as const] : [],
  );
  return { ...block, name: call.name, ...Object.fromEntries(changed) };
}

/** Returns metadata without the calls in the provider's raw response. */
export function outputWithout(metadata: PlainObject): PlainObject {
  const { output } = metadata;
  if (!Array.isArray(output)) return metadata;
  return { ...metadata, output: (output as readonly unknown[]).filter((item) => !isToolCallBlock(item)) };
}
