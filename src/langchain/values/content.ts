import type { BaseMessage } from "@langchain/core/messages";
import { visitParts } from "../../engine/walk.js";
import { splitLines } from "../../turn/lines.js";
import { cloneMessage } from "../models/clone-message.js";
import { type TextKind, type TextVisitor, visitContent } from "./content-blocks.js";
import { roleOf } from "./message-kinds.js";

export type { TextKind, TextVisitor };

export interface TextSelection {
  /** Text files and documents among the content blocks. On by default: a model reads them. */
  readonly documents?: boolean;
  /** Reasoning and thinking blocks of an answer. Off by default. What others send is text, whatever it calls itself. */
  readonly reasoning?: boolean;
  /** Names, titles, unknown keys and quotations of blocks. On for users' messages, off for answers. */
  readonly labels?: boolean;
  /** String arguments of tool calls. Off by default. */
  readonly toolArgs?: boolean;
}

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
  const side = sideOfMessage(message);
  visitContent(
    message.content,
    (text, kind) => {
      if (isSelected(kind, selection, side) && text !== "") segments.push(text);
      return text;
    },
    side,
  );
  if (selection.toolArgs) {
    for (const { args } of toolCallsOf(message)) {
      visitParts(args, (part) => void (typeof part === "string" && part !== "" && segments.push(part)));
    }
  }
  return segments;
}

/** The segments as one text: an answer's blocks are pieces of one text, a user's blocks are separate lines. */
export function extractText(message: BaseMessage, selection: TextSelection = {}): string {
  // A string as content is one segment, on both sides.
  if (typeof message.content === "string" && selection.toolArgs !== true) return message.content;
  return extractSegments(message, selection).join(separatorOf(message));
}

/**
 * A copy of the message with every selected text replaced by what `fn` gives. Identity, usage, ids, tool calls, images,
 * metadata and the class are kept; a message that does not change is returned as it is.
 */
export function mapText<M extends BaseMessage>(
  message: M,
  fn: TextVisitor,
  selection: Omit<TextSelection, "toolArgs"> = {},
): M {
  let changed = false;
  const side = sideOfMessage(message);
  const content = visitContent(
    message.content,
    (text, kind) => {
      if (!isSelected(kind, selection, side) || text === "") return text;
      const replacement = fn(text, kind);
      changed ||= replacement !== text;
      return replacement;
    },
    side,
  );
  return changed ? cloneMessage(message, { content }) : message;
}

/** Returns a copy of the message whose whole text is `text`; if the lines can be separated, each block keeps its own. */
export function replaceText<M extends BaseMessage>(
  message: M,
  text: string,
  selection: Omit<TextSelection, "toolArgs"> = {},
): M {
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

/** INVARIANT: only an answer has reasoning; a model reads a reasoning block of a user as text. */
function isSelected(kind: TextKind, selection: TextSelection, side: MessageSide): boolean {
  if (kind === "text") return true;
  if (kind === "label") return selection.labels ?? side === "user";
  if (kind === "document") return selection.documents ?? true;
  return selection.reasoning ?? side === "user";
}

function appendText(message: BaseMessage, text: string): BaseMessage["content"] {
  return Array.isArray(message.content) ? [...message.content, { type: "text", text }] : text;
}

function toolCallsOf(message: BaseMessage): readonly { readonly args: unknown }[] {
  const calls = (message as { tool_calls?: unknown }).tool_calls;
  return Array.isArray(calls) ? (calls as { readonly args: unknown }[]) : [];
}
