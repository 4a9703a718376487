import type { BaseMessage } from "@langchain/core/messages";
import { visitParts, type Mapper, mapEntries, mapParts } from "../../engine/walk.js";
import { joinLines, splitLines } from "../../turn/extra-text.js";
import { cloneMessage, roleOf, type PlainObject } from "./message-kinds.js";
import { type TextKind, type TextVisitor, visitContent, isReasoningBlock, isToolCallBlock } from "./content-blocks.js";
import { isEncrypted, isSentence } from "./media.js";
import { redactData } from "../../turn/redact-data.js";
import { createRedactor, type Redactor } from "../../turn/redactor.js";

export type { TextKind, TextVisitor };

export interface TextSelection {
  /** Text files and documents among the content blocks. Default: true, since a model reads them. */
  readonly documents?: boolean;
  /** Reasoning blocks of a response. Default: false. In other messages, such blocks count as text. */
  readonly reasoning?: boolean;
  /** Names, titles, unknown keys and citations of blocks. Default: true for user messages, false for answers. */
  readonly labels?: boolean;
  /** String arguments of tool calls. Default: false. */
  readonly toolArgs?: boolean;
}

type BlockSelection = Omit<TextSelection, "toolArgs">;

/**
 * All text of a message that a model or a reader sees, block by block.
 *
 * @example
 * ```ts
 * extractText(new HumanMessage({ content: [{ type: "text", text: "look" }, { type: "text-plain", text: "a file" }] }));
 * // ["look", "a file"]
 * ```
 */
export function extractSegments(message: BaseMessage, selection: TextSelection = {}): readonly string[] {
  const segments: string[] = [];
  mapText(message, (text) => (segments.push(text), text), selection);
  const { tool_calls: calls } = message as { readonly tool_calls?: unknown };
  if (selection.toolArgs && Array.isArray(calls)) {
    for (const { args } of calls as readonly { readonly args: unknown }[]) {
      visitParts(args, (part) => void (typeof part === "string" && part !== "" && segments.push(part)));
    }
  }
  return segments;
}

/** Segments joined to one text: a response's blocks are concatenated, a user's blocks are separate lines. */
export function extractText(message: BaseMessage, selection: TextSelection = {}): string {
  // String content is one segment, on both sides.
  if (typeof message.content === "string" && selection.toolArgs !== true) return message.content;
  return extractSegments(message, selection).join(separatorOf(message));
}

/**
 * Returns a copy of the message with every selected text mapped by `fn`. Identity, usage, ids, tool calls, images,
 * metadata and the class are kept; an unchanged message is returned itself.
 */
export function mapText<M extends BaseMessage>(message: M, fn: TextVisitor, selection: BlockSelection = {}): M {
  const side = sideOfMessage(message);
  const visit: TextVisitor = (text, kind) => (isSelected(kind, selection, side) && text !== "" ? fn(text, kind) : text);
  return cloneMessage(message, { content: visitContent(message, visit) });
}

/**
 * Returns a copy of the message with `text` as its whole text; each block keeps its own lines if they can be separated.
 */
export function replaceText<M extends BaseMessage>(message: M, text: string, selection: BlockSelection = {}): M {
  const segments = extractSegments(message, selection);
  if (segments.length === 0 && text !== "") {
    const { content } = message;
    return cloneMessage(message, { content: Array.isArray(content) ? [...content, { type: "text", text }] : text });
  }
  const parts = distributeText(segments, separatorOf(message), text);
  let index = 0;
  return mapText(message, () => parts[index++] ?? "", selection);
}

/**
 * Distributes a rewritten text over its original segments. If the number of lines is unchanged, each segment gets its
 * lines back; otherwise the first one gets everything, so that no text is lost.
 */
export function distributeText(segments: readonly string[], separator: string, text: string): readonly string[] {
  if (segments.join(separator) === text) return segments;
  const parts = separator === "\n" ? splitLines(segments, text) : undefined;
  return parts ?? segments.map((_, index) => (index === 0 ? text : ""));
}

function separatorOf(message: BaseMessage): "" | "\n" {
  return sideOfMessage(message) === "bot" ? "" : "\n";
}

type MessageSide = "user" | "bot";

function sideOfMessage(message: BaseMessage): MessageSide {
  return roleOf(message) === "assistant" ? "bot" : "user";
}

/** INVARIANT: only a response has reasoning; a model reads a user's reasoning block as text. */
function isSelected(kind: TextKind, selection: TextSelection, side: MessageSide): boolean {
  if (kind === "text") return true;
  if (kind === "label") return selection.labels ?? side === "user";
  if (kind === "document") return selection.documents ?? true;
  return selection.reasoning ?? side === "user";
}

/** Keys of `additional_kwargs` in which providers keep reasoning. */
export const REASONING_KWARGS = ["reasoning", "reasoning_content", "reasoning_details", "thinking"] as const;

/** Entries of reasoning blocks that identify them, or authenticate them to the provider. */
const LABEL_KEYS: ReadonlySet<string> = new Set(["type", "id", "index", "format", "status", "signature"]);

/** Encrypted reasoning, which only the provider can read. */
const OPAQUE_KEYS: ReadonlySet<string> = new Set(["data", "encrypted_content", "redactedContent"]);

/** Returns the readable reasoning of the message, in order. */
export function reasoningText(message: BaseMessage): string {
  return segmentsOf(message).join("");
}

/** Returns all readable reasoning of a message, with a provider's raw copy of it in the metadata, if that differs. */
export function allReasoning(message: BaseMessage): string {
  const { output } = (message.response_metadata ?? {}) as PlainObject;
  const raw = Array.isArray(output) ? reasoningText({ content: output } as BaseMessage) : "";
  const own = reasoningText(message);
  return joinLines(own, raw === own ? "" : raw);
}

function segmentsOf(message: BaseMessage): readonly string[] {
  const segments: string[] = [];
  mapReasoning(message, (text) => (segments.push(text), text));
  return segments;
}

/**
 * Returns the message with other reasoning, or without any. Signatures and all copies of the old reasoning are removed.
 */
export function rewriteReasoning<M extends BaseMessage>(message: M, text: string): M {
  const before = segmentsOf(message);
  if (before.join("") === text) return message;
  if (text.trim() === "") return withoutReasoning(message);
  const after = distributeText(before, "", text);
  let index = 0;
  const changed = mapReasoning(message, () => after[index++] ?? "");
  const redactor = createRedactor(
    [before.join(""), ...before].map((segment) => ({ text: segment, replacement: text })),
  );
  return redactMetadata(withoutRawReasoning(changed), redactor, true);
}

/**
 * Returns the message without metadata that quotes hidden text. `logprobs` are removed: their tokens spell a rewritten
 * text without quoting it.
 *
 * @param keepsReasoning - true to keep the reasoning in `additional_kwargs`, which is a text of its own
 */
export function redactMetadata<M extends BaseMessage>(
  message: M,
  redactor: Redactor | undefined,
  keepsReasoning = false,
): M {
  const { additional_kwargs: kwargs, response_metadata: metadata } = message;
  const reasoning = keepsReasoning ? reasoningOf(message) : undefined;
  const others = reasoning === undefined ? kwargs : withoutKeys(kwargs, REASONING_KWARGS);
  const redacted = redactData(others, redactor) ?? {};
  return cloneMessage(message, {
    additional_kwargs: redacted === others ? kwargs : { ...redacted, ...reasoning },
    response_metadata: redactData(withoutKeys(metadata, ["logprobs"]), redactor) ?? {},
  });
}

/** Returns the fields without these keys; the same object if it has none of them. */
function withoutKeys<Fields extends PlainObject>(fields: Fields, keys: readonly string[]): Fields {
  if (fields === undefined || !keys.some((key) => Object.hasOwn(fields, key))) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key))) as Fields;
}

/** Returns the reasoning in `additional_kwargs`; undefined if there is none. */
export function reasoningOf(message: BaseMessage): Record<string, unknown> | undefined {
  const kwargs = message.additional_kwargs ?? {};
  const reasoningKeys = REASONING_KWARGS.filter((key) => Object.hasOwn(kwargs, key));
  return reasoningKeys.length === 0 ? undefined : Object.fromEntries(reasoningKeys.map((key) => [key, kwargs[key]]));
}

/** Returns the message without reasoning. */
export function withoutReasoning<M extends BaseMessage>(message: M): M {
  const { content, additional_kwargs: kwargs } = message;
  const left = Array.isArray(content) ? mapParts(content, WITHOUT_REASONING) : content;
  const kept = withoutKeys(kwargs, REASONING_KWARGS);
  const changed = withoutRawReasoning(message);
  if (left === content && kept === kwargs) return changed;
  return cloneMessage(changed, { content: left as BaseMessage["content"], additional_kwargs: kept });
}

/** Returns the message without the provider's raw copy of the reasoning. */
export function withoutRawReasoning<M extends BaseMessage>(message: M): M {
  const { response_metadata: metadata } = message;
  const output: unknown = metadata?.["output"];
  if (!Array.isArray(output) || !output.some(isReasoningBlock)) return message;
  const kept = output.filter((item) => !isReasoningBlock(item)) as unknown[];
  return cloneMessage(message, { response_metadata: { ...metadata, output: kept } });
}

/** Removes reasoning blocks at any depth, and everything beyond the limits of a walk. */
const WITHOUT_REASONING: Mapper = {
  leaf: (leaf) => leaf,
  whole: (value, parts) => {
    if (isReasoningBlock(value)) return undefined;
    return ArrayBuffer.isView(value) || isToolCallBlock(value) ? value : parts();
  },
  beyond: () => undefined,
};

/** Visits every text of the reasoning. */
function mapReasoning<M extends BaseMessage>(message: M, visit: (text: string) => string): M {
  const { content, additional_kwargs: kwargs } = message;
  const inReasoning: Mapper = {
    leaf: (leaf) => (typeof leaf === "string" && leaf !== "" ? visit(leaf) : leaf),
    whole: (value, parts) => (ArrayBuffer.isView(value) ? value : withoutSignature(value, parts())),
    keeps: (key, value) =>
      typeof value === "string" &&
      ((LABEL_KEYS.has(key) && !isSentence(value)) || (OPAQUE_KEYS.has(key) && isEncrypted(value))),
  };
  // Arguments of tool calls may have any name; tool rails read them.
  const inContent: Mapper = {
    leaf: (leaf) => leaf,
    whole: (value, parts) => {
      if (isReasoningBlock(value)) return withoutSignature(value, parts(inReasoning));
      return ArrayBuffer.isView(value) || isToolCallBlock(value) ? value : parts();
    },
  };
  const left = Array.isArray(content) ? mapParts(content, inContent) : content;
  const before = reasoningOf(message) ?? {};
  const after = mapEntries(before, (value, key) => [key, mapParts(value, inReasoning)]);
  return cloneMessage(message, {
    content: left as BaseMessage["content"],
    additional_kwargs: after === before ? kwargs : { ...kwargs, ...after },
  });
}

/** A signature authenticates a text and is removed when the text changes. */
function withoutSignature(before: object, after: unknown): unknown {
  return after === before || Array.isArray(after) ? after : withoutKeys(after as PlainObject, ["signature"]);
}
