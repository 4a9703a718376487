import type { BaseMessage } from "@langchain/core/messages";
import { type Mapper, mapParts } from "../../engine/walk.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { redactData } from "../../turn/redact-data.js";
import { createRedactor, type Redactor } from "../../turn/redactor.js";
import { cloneMessage } from "../models/clone-message.js";
import { isReasoningBlock, isSentence, isToolCallBlock } from "./content-blocks.js";
import { distributeText } from "./content.js";
import { type PlainObject } from "./message-kinds.js";

/** Keys of `additional_kwargs` in which providers keep reasoning. */
export const REASONING_KWARGS = ["reasoning", "reasoning_content", "reasoning_details", "thinking"] as const;

/** Entries of reasoning blocks that name them, or certify them to the provider. */
const LABEL_KEYS: ReadonlySet<string> = new Set(["type", "id", "index", "format", "status", "signature"]);
/** Thoughts that only the provider can read are one word to everyone else. */
const OPAQUE_KEYS: ReadonlySet<string> = new Set(["data", "encrypted_content", "redactedContent"]);

/** Returns true if output rails have passed the reasoning of an answer. */
export function hasReviewedReasoning({ decisions }: GuardrailsMetadata): boolean {
  return decisions.some(({ stage, about }) => stage === "output" && about === "reasoning");
}

/** Returns the readable reasoning in the message, in its order. */
export function reasoningText(message: BaseMessage): string {
  return segmentsOf(message).join("");
}

function segmentsOf(message: BaseMessage): readonly string[] {
  const segments: string[] = [];
  mapReasoning(message, (text) => (segments.push(text), text));
  return segments;
}

/**
 * Returns the message with other reasoning, or without any. Signatures of the old reasoning are removed, and so is
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
  const reasoningParts = reasoningOf(message);
  const others = reasoningParts === undefined ? kwargs : withoutKeys(kwargs, REASONING_KWARGS);
  const redacted = redactData(others, redactor);
  return redacted === others
    ? message
    : cloneMessage(message, { additional_kwargs: { ...redacted, ...reasoningParts } });
}

function withoutKeys(fields: PlainObject, keys: readonly string[]): PlainObject {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}

/** Returns the reasoning in `additional_kwargs`; undefined if there is none. */
export function reasoningOf(message: BaseMessage): Record<string, unknown> | undefined {
  const kwargs = message.additional_kwargs ?? {};
  const found = REASONING_KWARGS.filter((key) => Object.hasOwn(kwargs, key));
  return found.length === 0 ? undefined : Object.fromEntries(found.map((key) => [key, kwargs[key]]));
}

/** Returns the message without reasoning. */
export function withoutReasoning<M extends BaseMessage>(message: M): M {
  const { content, additional_kwargs: kwargs } = message;
  const left = Array.isArray(content) ? mapParts(content, WITHOUT_REASONING) : content;
  const inKwargs = REASONING_KWARGS.some((key) => kwargs !== undefined && Object.hasOwn(kwargs, key));
  const plain = withoutRawReasoning(message);
  if (left === content && !inKwargs) return plain;
  return cloneMessage(plain, {
    ...(left === content ? {} : { content: left as BaseMessage["content"] }),
    ...(inKwargs ? { additional_kwargs: withoutKeys(kwargs, REASONING_KWARGS) } : {}),
  });
}

/** Returns the message without the provider's own copy of the reasoning. */
export function withoutRawReasoning<M extends BaseMessage>(message: M): M {
  const { response_metadata: metadata } = message;
  const output: unknown = metadata?.["output"];
  if (!Array.isArray(output) || !output.some(isReasoningBlock)) return message;
  const kept = output.filter((item) => !isReasoningBlock(item)) as unknown[];
  return cloneMessage(message, { response_metadata: { ...metadata, output: kept } });
}

/** Removes reasoning blocks, at any level; what lies beyond the limits of a walk goes too. */
const WITHOUT_REASONING: Mapper = {
  leaf: (leaf) => leaf,
  whole: (value, parts) => {
    if (isReasoningBlock(value)) return undefined;
    return ArrayBuffer.isView(value) || isToolCallBlock(value as PlainObject) ? value : parts();
  },
  beyond: () => undefined,
};

/** Visits every text of the reasoning. */
function mapReasoning<M extends BaseMessage>(message: M, visit: (text: string) => string): M {
  const { content, additional_kwargs: kwargs } = message;
  const mapper = mapperOf(visit);
  const left = Array.isArray(content) ? mapParts(content, mapper.content) : content;
  const extra = Object.fromEntries(
    REASONING_KWARGS.flatMap((key) => {
      if (kwargs === undefined || !Object.hasOwn(kwargs, key)) return [];
      return [[key, mapParts(kwargs[key], mapper.reasoning)] as const];
    }),
  );
  const isSame = left === content && Object.entries(extra).every(([key, value]) => value === kwargs?.[key]);
  if (isSame) return message;
  return cloneMessage(message, {
    content: left as BaseMessage["content"],
    additional_kwargs: { ...kwargs, ...extra },
  });
}

/** Rules that visit the texts of reasoning blocks. Arguments of tool calls may be called anything; rails on tools read them. */
function mapperOf(visit: (text: string) => string): Record<"content" | "reasoning", Mapper> {
  const reasoning: Mapper = {
    leaf: (leaf) => (typeof leaf === "string" && leaf !== "" ? visit(leaf) : leaf),
    whole: (value, parts) => (ArrayBuffer.isView(value) ? value : withoutSignature(value, parts())),
    keeps: isOpaque,
  };
  const content: Mapper = {
    leaf: (leaf) => leaf,
    whole: (value, parts) => {
      if (isReasoningBlock(value)) return withoutSignature(value, parts(reasoning));
      return ArrayBuffer.isView(value) || isToolCallBlock(value as PlainObject) ? value : parts();
    },
  };
  return { content, reasoning };
}

function isOpaque(key: string, value: unknown): boolean {
  return typeof value === "string" && (LABEL_KEYS.has(key) || (OPAQUE_KEYS.has(key) && !isSentence(value)));
}

/** A signature certifies a text, so it goes when the text changes. */
function withoutSignature(before: object, after: unknown): unknown {
  return after === before || Array.isArray(after) ? after : withoutKeys(after as PlainObject, ["signature"]);
}
