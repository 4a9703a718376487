import type { BaseMessage } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { redactData } from "../../turn/redact-data.js";
import { createRedactor, type Redactor } from "../../turn/redactor.js";
import { cloneMessage } from "../models/clone-message.js";
import { isReasoningBlock, isSentence, isToolCallBlock } from "./content-blocks.js";
import { distributeText } from "./content.js";
import type { Host } from "../host.js";
import { isObject, type PlainObject } from "./message-kinds.js";

/** Where providers keep what a model thought, beside the content. */
export const REASONING_KWARGS = ["reasoning", "reasoning_content", "reasoning_details", "thinking"] as const;

/** Entries of thoughts that name them, or certify them to the provider. */
const LABEL_KEYS: ReadonlySet<string> = new Set(["type", "id", "index", "format", "status", "signature"]);
/** Thoughts that only the provider can read are one word to everyone else. */
const OPAQUE_KEYS: ReadonlySet<string> = new Set(["data", "encrypted_content", "redactedContent"]);
const MAX_DEPTH = 32;

/** Whether the output rails look at what a model thought (`apply_to_reasoning_traces`). */
export function reviewsReasoning({ runtime }: Host): boolean {
  const { settings } = runtime.config as Partial<Host["runtime"]["config"]>;
  return settings?.rails?.output.apply_to_reasoning_traces === true;
}

/** Whether output rails let the thoughts of an answer pass, besides its text. */
export function hasReviewedReasoning({ decisions }: GuardrailsMetadata): boolean {
  return decisions.some(({ stage, about }) => stage === "output" && about === "reasoning");
}

/** All that a reader of the message may learn of what the model thought, in the order in which it stands there. */
export function reasoningText(message: BaseMessage): string {
  return segmentsOf(message).join("");
}

function segmentsOf(message: BaseMessage): readonly string[] {
  const segments: string[] = [];
  mapReasoning(message, (text) => (segments.push(text), text));
  return segments;
}

/**
 * The message with other thoughts, without any when there are none left. What certifies the old ones goes, and so does
 * every copy of them.
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
  return redactKwargs(withoutRawReasoning(changed), redactor);
}

/** The message whose `additional_kwargs` quote no hidden text; the reasoning among them is a text of its own. */
export function redactKwargs<M extends BaseMessage>(message: M, redactor: Redactor | undefined): M {
  const { additional_kwargs: kwargs } = message;
  const thoughts = reasoningOf(message);
  const others = thoughts === undefined ? kwargs : withoutKeys(kwargs, REASONING_KWARGS);
  const redacted = redactData(others, redactor);
  return redacted === others ? message : cloneMessage(message, { additional_kwargs: { ...redacted, ...thoughts } });
}

function withoutKeys(fields: PlainObject, keys: readonly string[]): PlainObject {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

/** What the model thought, as providers keep it beside the content; undefined when there is none. */
export function reasoningOf(message: BaseMessage): Record<string, unknown> | undefined {
  const kwargs = message.additional_kwargs ?? {};
  const found = REASONING_KWARGS.filter((key) => Object.hasOwn(kwargs, key));
  return found.length === 0 ? undefined : Object.fromEntries(found.map((key) => [key, kwargs[key]]));
}

/** The message without what the model thought. */
export function withoutReasoning<M extends BaseMessage>(message: M): M {
  const { content, additional_kwargs: kwargs } = message;
  const said = Array.isArray(content) ? withoutThoughts(content, 0) : content;
  const inKwargs = REASONING_KWARGS.some((key) => kwargs !== undefined && Object.hasOwn(kwargs, key));
  const plain = withoutRawReasoning(message);
  if (said === content && !inKwargs) return plain;
  return cloneMessage(plain, {
    ...(said === content ? {} : { content: said as BaseMessage["content"] }),
    ...(inKwargs ? { additional_kwargs: withoutKeys(kwargs, REASONING_KWARGS) } : {}),
  });
}

/** The message without the provider's own copy of the thoughts. */
export function withoutRawReasoning<M extends BaseMessage>(message: M): M {
  const { response_metadata: metadata } = message;
  const output: unknown = metadata?.["output"];
  if (!Array.isArray(output) || !output.some(isReasoningBlock)) return message;
  const kept = output.filter((item) => !isReasoningBlock(item)) as unknown[];
  return cloneMessage(message, { response_metadata: { ...metadata, output: kept } });
}

/** Blocks may hold others; a thought among those is one too. */
function withoutThoughts(blocks: readonly unknown[], depth: number): readonly unknown[] {
  const kept = blocks.flatMap((block): unknown[] => {
    if (isReasoningBlock(block) || depth > MAX_DEPTH) return [];
    if (Array.isArray(block)) return [withoutThoughts(block as unknown[], depth + 1)];
    if (!isObject(block) || isToolCallBlock(block)) return [block];
    const changes = Object.entries(block).flatMap(([key, inner]) => {
      if (typeof inner !== "object" || inner === null || ArrayBuffer.isView(inner)) return [];
      const list = Array.isArray(inner) ? (inner as unknown[]) : [inner];
      const left = withoutThoughts(list, depth + 1);
      if (left === list) return [];
      return [[key, Array.isArray(inner) ? left : left[0]] as const];
    });
    return [changes.length === 0 ? block : { ...block, ...Object.fromEntries(changes) }];
  });
  return kept.length === blocks.length && kept.every((block, index) => block === blocks[index]) ? blocks : kept;
}

/** Visits every thought; one that becomes empty goes. */
function mapReasoning<M extends BaseMessage>(message: M, visit: (text: string) => string): M {
  const { content, additional_kwargs: kwargs } = message;
  const said = Array.isArray(content) ? mapIn(content, { visit, isThought: false }, 0) : content;
  const beside = Object.fromEntries(
    REASONING_KWARGS.flatMap((key) => {
      if (kwargs === undefined || !Object.hasOwn(kwargs, key)) return [];
      return [[key, mapIn(kwargs[key], { visit, isThought: true }, 0)] as const];
    }),
  );
  const isSame = said === content && Object.entries(beside).every(([key, value]) => value === kwargs?.[key]);
  if (isSame) return message;
  return cloneMessage(message, {
    content: said as BaseMessage["content"],
    additional_kwargs: { ...kwargs, ...beside },
  });
}

interface Visit {
  readonly visit: (text: string) => string;
  /** Whether what is looked at is thought, or might only hold thoughts. */
  readonly isThought: boolean;
}

function mapIn(value: unknown, given: Visit, depth: number): unknown {
  if (typeof value === "string") return given.isThought && value !== "" ? given.visit(value) : value;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapIn(item, given, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  return mapBlock(value as PlainObject, { ...given, isThought: given.isThought || isReasoningBlock(value) }, depth);
}

function mapBlock(block: PlainObject, given: Visit, depth: number): PlainObject {
  // Arguments may be called anything; rails on tools look at them.
  if (!given.isThought && isToolCallBlock(block)) return block;
  const changes: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(block)) {
    if (typeof inner === "string" && (LABEL_KEYS.has(key) || (OPAQUE_KEYS.has(key) && !isSentence(inner)))) continue;
    const after = mapIn(inner, given, depth + 1);
    if (after !== inner) changes[key] = after;
  }
  if (Object.keys(changes).length === 0) return block;
  const { signature: _certificate, ...kept } = block;
  return { ...(given.isThought ? kept : block), ...changes };
}
