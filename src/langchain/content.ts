import type { BaseMessage } from "@langchain/core/messages";
import { cloneMessage } from "./clone-message.js";

/** Where in a message a piece of text stands. */
export type TextKind = "text" | "document" | "reasoning" | "tool-args";

export interface TextSelection {
  /** Text files and documents among the content blocks. On by default: a model reads them. */
  readonly documents?: boolean;
  /** Reasoning and thinking blocks. Off by default. */
  readonly reasoning?: boolean;
  /** String arguments of tool calls. Off by default. */
  readonly toolArgs?: boolean;
}

/** Gives the text to put in place of `text`; an empty string removes the block. */
export type TextVisitor = (text: string, kind: TextKind) => string;

type Block = Readonly<Record<string, unknown>>;

const TEXT_KEYS = ["text", "refusal", "input_text", "output_text"] as const;
const REASONING_KEYS = ["reasoning", "thinking"] as const;
const MAX_DEPTH = 32;

/**
 * All text of a message that a model or a reader would see, block by block.
 *
 * @example
 * ```ts
 * extractText(new HumanMessage({ content: [{ type: "text", text: "look" }, { type: "text-plain", text: "a file" }] }));
 * // ["look", "a file"]
 * ```
 */
export function extractSegments(message: BaseMessage, selection: TextSelection = {}): readonly string[] {
  const segments: string[] = [];
  visitContent(message.content, (text, kind) => {
    if (isSelected(kind, selection) && text !== "") segments.push(text);
    return text;
  });
  if (selection.toolArgs) {
    for (const call of toolCallsOf(message)) collectStrings(call.args, segments, 0);
  }
  return segments;
}

/** The segments as one text: an answer's blocks are pieces of one text, a user's blocks are separate lines. */
export function extractText(message: BaseMessage, selection: TextSelection = {}): string {
  return extractSegments(message, selection).join(separatorOf(message));
}

/**
 * A copy of the message with every selected text replaced by what `fn` gives. Identity, usage, ids, tool calls, images,
 * metadata and the class are kept; a message that does not change is returned as it is.
 */
export function mapText<M extends BaseMessage>(message: M, fn: TextVisitor, selection: TextSelection = {}): M {
  let changed = false;
  const content = visitContent(message.content, (text, kind) => {
    if (!isSelected(kind, selection) || text === "") return text;
    const replacement = fn(text, kind);
    changed ||= replacement !== text;
    return replacement;
  });
  return changed ? cloneMessage(message, { content }) : message;
}

/** A copy of the message whose whole text is `text`; where the lines can be told apart, each block keeps its own. */
export function replaceText<M extends BaseMessage>(message: M, text: string, selection: TextSelection = {}): M {
  const segments = extractSegments(message, selection);
  if (segments.length === 0)
    return text === "" ? message : cloneMessage(message, { content: appendText(message, text) });
  const parts = distributeText(segments, separatorOf(message), text);
  let index = 0;
  return mapText(message, () => parts[index++] ?? "", selection);
}

/**
 * Spreads a rewritten text over the segments it was joined from. When the number of lines is the same, each segment gets
 * its own lines back; otherwise the first one gets everything, so that no word is lost.
 */
export function distributeText(segments: readonly string[], separator: string, text: string): readonly string[] {
  if (segments.join(separator) === text) return segments;
  const lines = text.split("\n");
  const counts = segments.map((segment) => segment.split("\n").length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (separator !== "\n" || total !== lines.length) return segments.map((_, index) => (index === 0 ? text : ""));
  let start = 0;
  return counts.map((count) => lines.slice(start, (start += count)).join("\n"));
}

export function separatorOf(message: BaseMessage): "" | "\n" {
  return message.getType() === "ai" ? "" : "\n";
}

function isSelected(kind: TextKind, selection: TextSelection): boolean {
  if (kind === "text") return true;
  if (kind === "document") return selection.documents ?? true;
  return kind === "reasoning" ? (selection.reasoning ?? false) : (selection.toolArgs ?? false);
}

function visitContent(content: BaseMessage["content"], visit: TextVisitor): BaseMessage["content"] {
  if (typeof content === "string") return visit(content, "text");
  if (!Array.isArray(content)) return content;
  return visitBlocks(content, visit, 0) as BaseMessage["content"];
}

function visitBlocks(blocks: readonly unknown[], visit: TextVisitor, depth: number): unknown[] {
  return blocks.flatMap((block) => {
    if (typeof block === "string") {
      const text = visit(block, "text");
      return text === "" && block !== "" ? [] : [text];
    }
    if (typeof block !== "object" || block === null || depth > MAX_DEPTH) return [block];
    const visited = visitBlock(block as Block, visit, depth);
    return visited === undefined ? [] : [visited];
  });
}

function visitBlock(block: Block, visit: TextVisitor, depth: number): Block | undefined {
  const type = typeof block["type"] === "string" ? block["type"] : "";
  const reasoningKey = REASONING_KEYS.find((key) => typeof block[key] === "string");
  if (reasoningKey !== undefined) return rewriteKey(block, reasoningKey, "reasoning", visit);
  const textKey = TEXT_KEYS.find((key) => typeof block[key] === "string");
  if (textKey !== undefined) return rewriteKey(block, textKey, isDocument(type) ? "document" : "text", visit);
  if (isTextData(block)) return rewriteData(block, "data", visit);
  if (Array.isArray(block["summary"]) && type === "reasoning") {
    const asReasoning: TextVisitor = (text) => visit(text, "reasoning");
    return { ...block, summary: visitBlocks(block["summary"], asReasoning, depth + 1) };
  }
  return visitNested(block, visit, depth);
}

function visitNested(block: Block, visit: TextVisitor, depth: number): Block {
  const asDocument: TextVisitor = (text) => visit(text, "document");
  for (const key of ["content", "source", "value"]) {
    const inner = block[key];
    if (typeof inner === "string" && key === "content") return { ...block, content: asDocument(inner, "document") };
    if (Array.isArray(inner)) return { ...block, [key]: visitBlocks(inner, asDocument, depth + 1) };
    if (typeof inner !== "object" || inner === null || depth > MAX_DEPTH) continue;
    const source = inner as Block;
    if (source["type"] === "text" && typeof source["data"] === "string") {
      return { ...block, [key]: { ...source, data: asDocument(source["data"], "document") } };
    }
    return { ...block, [key]: visitBlock(source, asDocument, depth + 1) ?? source };
  }
  return block;
}

function rewriteKey(block: Block, key: string, kind: TextKind, visit: TextVisitor): Block | undefined {
  const before = block[key] as string;
  const after = visit(before, kind);
  if (after === before) return block;
  return after === "" ? undefined : { ...block, [key]: after };
}

function isDocument(type: string): boolean {
  return type === "text-plain" || type === "file" || type === "document";
}

function isTextData(block: Block): boolean {
  const mime = block["mimeType"] ?? block["mime_type"];
  if (typeof mime !== "string" || typeof block["data"] !== "string") return false;
  return mime.startsWith("text/") || mime === "application/json";
}

function rewriteData(block: Block, key: string, visit: TextVisitor): Block | undefined {
  const before = decodeText(block[key] as string);
  if (before === undefined) return block;
  const after = visit(before, "document");
  if (after === before) return block;
  return after === "" ? undefined : { ...block, [key]: encodeText(after) };
}

function decodeText(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

function encodeText(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCodePoint(byte);
  return btoa(binary);
}

function appendText(message: BaseMessage, text: string): BaseMessage["content"] {
  return Array.isArray(message.content) ? [...message.content, { type: "text", text }] : text;
}

function toolCallsOf(message: BaseMessage): readonly { readonly args: unknown }[] {
  const calls = (message as { tool_calls?: unknown }).tool_calls;
  return Array.isArray(calls) ? (calls as { readonly args: unknown }[]) : [];
}

function collectStrings(value: unknown, into: string[], depth: number): void {
  if (typeof value === "string") {
    if (value !== "") into.push(value);
  } else if (typeof value === "object" && value !== null && depth < MAX_DEPTH) {
    for (const inner of Object.values(value)) collectStrings(inner, into, depth + 1);
  }
}
