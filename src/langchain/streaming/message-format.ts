import { omitUndefined } from "../../engine/plain-data.js";
import {
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
  mergeUsageMetadata,
  type UsageMetadata,
} from "@langchain/core/messages";
import { createRedactor, type HiddenText, type Redactor } from "../../turn/redactor.js";
import { rewriteMessage, strayText, type BotResponse } from "../values/response.js";
import { extraTextsOf, isKnownName } from "../values/message-extras.js";
import { utteranceMessage, toChunk, withoutForeignVerdict } from "../verdict.js";
import { asksForTools, cloneMessage, isOnlyText } from "../values/message-kinds.js";
import { isReasoningBlock, isToolCallBlock } from "../values/content-blocks.js";
import { plainChunk } from "../values/plain-message.js";
import { withDelegatedCalls, type DelegatedCall } from "../tools/tool-calls.js";
import {
  extractText,
  reasoningOf,
  reasoningText,
  rewriteReasoning,
  redactMetadata,
  withoutRawReasoning,
  withoutReasoning,
} from "../values/content.js";
import { withoutLost } from "./lost-texts.js";
import { EscapeWatch } from "../values/escaped-text.js";
import { isIdentifier } from "../values/metadata-codes.js";
import { shapeError } from "../shape-error.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";

export interface MessageFormatOptions {
  /** True if output rails review the text. Reasoning is then released only if they review it too. */
  readonly guarded: boolean;
  /** True if they also review reasoning. */
  readonly readsReasoning: boolean;
  /** True if the model may call tools, and so need its reasoning back. */
  readonly mayAskForTools: boolean;
}

/**
 * Formats streams of message chunks. Text is released window by window. Everything else waits for the end: tool calls,
 * which a later block must still be able to drop, and texts that providers put outside of the content.
 */
export class MessageFormat implements ChunkFormat {
  readonly isComposite = false;
  readonly #options: MessageFormatOptions;
  #id: string | undefined;
  /** True once the complete message is known to call tools. */
  #asksForTools = false;
  /** Index for the next tool call. */
  #calls = 0;
  /** Index of the last block that received text. */
  #block = -1;
  /** True once text was added to an earlier block than the last: in block order, the text reads differently. */
  #isMixed = false;
  /** Reasoning removed from released chunks. */
  readonly #reasoning: AIMessageChunk[] = [];
  /** Texts that rails rewrote; metadata must not quote them. */
  readonly #rewritten: HiddenText[] = [];
  #redactor: Redactor | undefined;
  readonly #escapes = new EscapeWatch();
  /** Chunks that were not plain data, as they are released. */
  readonly #plain = new WeakMap<AIMessageChunk, AIMessageChunk>();

  constructor(options: MessageFormatOptions) {
    this.#options = options;
  }

  read(given: unknown): ChunkReading {
    if (!AIMessageChunk.isInstance(given)) {
      throw shapeError("expected the next chunk of a stream of messages", given, "stream values of one kind");
    }
    const chunk = this.#options.guarded ? plainChunk(given) : given;
    if (chunk !== given) this.#plain.set(given, chunk);
    const isNamed = this.#followId(chunk.id);
    const { guarded, mayAskForTools, readsReasoning } = this.#options;
    if (isNamed && isOnlyText(chunk)) {
      const text = chunk.content;
      const waits = this.#escapes.sees(text);
      return readsReasoning ? { text, reasoning: "", waits } : { text, waits };
    }
    const text = extractText(chunk);
    const isEscaped = this.#escapes.sees(text);
    for (const { index = 0 } of chunk.tool_call_chunks ?? []) this.#calls = Math.max(this.#calls, index + 1);
    if (Array.isArray(chunk.content)) this.#followBlocks(chunk.content as readonly unknown[]);
    const mayHoldReasoning =
      guarded && mayAskForTools && !readsReasoning && (Array.isArray(chunk.content) || hasRawOutput(chunk));
    const hasReasoning = mayHoldReasoning && withoutReasoning(chunk) !== chunk;
    const waits =
      !isNamed ||
      isEscaped ||
      holdsCall(chunk) ||
      hasReasoning ||
      this.#isMixed ||
      strayText(chunk, text) !== "" ||
      extraTextsOf(chunk, text, chunk.name).length > 0;
    return readsReasoning ? { text, reasoning: reasoningText(chunk), waits } : { text, waits };
  }

  release(...[chunks, main, reasoning, joined]: Parameters<ChunkFormat["release"]>): readonly unknown[] {
    const { guarded, readsReasoning } = this.#options;
    this.#asksForTools ||= joined !== undefined && asksForTools(joined);
    const texts = this.#place(main);
    const reasoningParts = this.#place(reasoning);
    const plain = this.#plainOf(chunks);
    const kept = guarded && joined !== undefined ? withoutLost(plain, joined) : plain;
    const released = kept.map((upstream, index) => {
      // Most chunks are nothing but text.
      if (texts[index] === main.texts[index] && isOnlyText(upstream)) return upstream;
      const chunk = withoutForeignVerdict(upstream);
      // Joining drops the names of chunks, so an unreviewed name is not released with its chunk.
      const unnamed = guarded && !isKnownName(chunk.name) ? cloneMessage(chunk, { name: undefined }) : chunk;
      const changed = rewriteMessage(unnamed, main.texts[index] ?? "", texts[index] ?? "");
      const reviewed =
        readsReasoning && guarded
          ? rewriteReasoning(withoutRawReasoning(changed), reasoningParts[index] ?? "")
          : this.#withoutReasoning(changed);
      return this.#redactor === undefined ? reviewed : redactMetadata(reviewed, this.#redactor, readsReasoning);
    });
    if (!this.#asksForTools || this.#reasoning.length === 0) return released;
    const held = this.#reasoning.splice(0);
    return [...held.map((chunk) => redactMetadata(chunk, this.#redactor, readsReasoning)), ...released];
  }

  #plainOf(chunks: readonly unknown[]): readonly AIMessageChunk[] {
    return (chunks as readonly AIMessageChunk[]).map((chunk) => this.#plain.get(chunk) ?? chunk);
  }

  /** Returns true for a well-formed id; a text in its place is reviewed with the complete response. */
  #followId(id: string | undefined): boolean {
    if (id === undefined || id === this.#id) return true;
    if (!isIdentifier(id)) return false;
    this.#id ??= id;
    return true;
  }

  #followBlocks(blocks: readonly unknown[]): void {
    for (const block of blocks) {
      const { index, type } = (block ?? {}) as { readonly index?: unknown; readonly type?: unknown };
      if (typeof index !== "number" || type === undefined) continue;
      this.#isMixed ||= index < this.#block;
      this.#block = index;
    }
  }

  /** Texts as the rails left them; changes are recorded. */
  #place({ texts, text }: Reviewed): readonly string[] {
    const before = texts.join("");
    if (text === before) return texts;
    this.#rewritten.push({ text: before, replacement: text });
    const whole = this.#rewritten.map((change) => change.text).join("");
    const left = this.#rewritten.map((change) => change.replacement ?? "").join("");
    this.#redactor = createRedactor([...this.#rewritten, { text: whole, replacement: left }]);
    return placeText(texts, text);
  }

  replace(final: unknown, rest: Rest, unreleased: readonly unknown[]): readonly unknown[] {
    const { tool_call_chunks = [] } = toChunk(final as BaseMessage);
    // INVARIANT: no released field outside of the content can quote the changed text.
    const fields = omitUndefined({ content: rest.text, tool_call_chunks, usage_metadata: usageOf(unreleased) });
    // INVARIANT: the complete message keeps no reasoning that must not be released.
    const reasoningParts = this.#options.readsReasoning
      ? reasoningOnly(this.#plainOf(unreleased), rest.reasoning)
      : reasoningIn(final as BaseMessage);
    return [...reasoningParts, this.#identified(new AIMessageChunk(fields as AIMessageChunkFields))];
  }

  close({ rest, verdict, calls = [] }: Parameters<ChunkFormat["close"]>[0]): readonly unknown[] {
    const message = withDelegatedCalls(utteranceMessage(rest, verdict), calls, { next: this.#calls });
    return [this.#identified(message as AIMessageChunk)];
  }

  refuse(...[refusal, verdict, unreleased]: Parameters<ChunkFormat["refuse"]>): unknown {
    return this.#identified(cloneMessage(utteranceMessage(refusal, verdict), { usage_metadata: usageOf(unreleased) }));
  }

  #identified(message: AIMessageChunk): AIMessageChunk {
    if (this.#id !== undefined) message.id = this.#id;
    return message;
  }

  /** A message that calls tools keeps its reasoning: providers require it along with the tool results. */
  #withoutReasoning(chunk: AIMessageChunk): AIMessageChunk {
    if (!this.#options.guarded || this.#asksForTools) return chunk;
    const kept = withoutReasoning(chunk);
    const kwargs = kept === chunk ? undefined : reasoningOf(chunk);
    if (kwargs !== undefined) {
      this.#reasoning.push(new AIMessageChunk({ content: "", additional_kwargs: kwargs } as AIMessageChunkFields));
    }
    return kept;
  }
}

/** Returns the reasoning of a message as a chunk; none if it has no reasoning. */
function reasoningIn(message: BaseMessage): AIMessageChunk[] {
  const content = Array.isArray(message.content) ? message.content.filter(isReasoningBlock) : [];
  const kwargs = reasoningOf(message);
  if (content.length === 0 && kwargs === undefined) return [];
  return [
    new AIMessageChunk({
      content: content.length === 0 ? "" : content,
      additional_kwargs: kwargs ?? {},
    } as AIMessageChunkFields),
  ];
}

/** Returns only the reasoning of the chunks, as the rails left it. */
function reasoningOnly(chunks: readonly AIMessageChunk[], reasoning: string): AIMessageChunk[] {
  const only = chunks.flatMap(reasoningIn);
  const texts = only.map((chunk) => reasoningText(chunk));
  const placed = placeText(texts, reasoning);
  return only.flatMap((chunk, index) => {
    if (texts[index] === "") return [];
    return texts.join("") === reasoning ? [chunk] : [rewriteReasoning(chunk, placed[index] ?? "")];
  });
}

function usageOf(chunks: readonly unknown[]): UsageMetadata | undefined {
  return (chunks as readonly AIMessageChunk[]).reduce<UsageMetadata | undefined>(
    (sum, { usage_metadata: usage }) => (usage === undefined ? sum : mergeUsageMetadata(sum, usage)),
    undefined,
  );
}

/** Returns true for a chunk with a part of a call, in any form: it waits for the end, where the message is read whole. */
function holdsCall(chunk: AIMessageChunk): boolean {
  const { tool_call_chunks: chunks, tool_calls: calls, invalid_tool_calls: invalid, content } = chunk;
  // Chunks of another LangChain version may lack a list.
  if ([chunks, calls, invalid].some((list: readonly unknown[] = []) => list.length > 0)) return true;
  if (holdsCallBlock(content) || holdsCallBlock(chunk.response_metadata?.["output"])) return true;
  const kwargs = chunk.additional_kwargs;
  return kwargs !== undefined && ("tool_calls" in kwargs || "function_call" in kwargs);
}

function hasRawOutput({ response_metadata: metadata }: AIMessageChunk): boolean {
  return metadata !== undefined && "output" in metadata;
}

/** Returns true for content with a tool call, be it for the application or for the provider's own tools. */
function holdsCallBlock(blocks: unknown): boolean {
  return Array.isArray(blocks) && blocks.some(isToolCallBlock);
}

/** Texts of a chunk, and whether it and all later chunks must wait for the end of the stream. */
export interface ChunkReading {
  readonly text: string;
  /** Reasoning in the chunk, if rails review it. */
  readonly reasoning?: string;
  readonly waits: boolean;
}

/** Texts of chunks, one per chunk, and the reviewed text of all of them. */
export interface Reviewed {
  readonly texts: readonly string[];
  readonly text: string;
}

/** The unreleased part of a complete response. */
interface Rest {
  readonly text: string;
  readonly reasoning: string;
}

/** Data for writing the end of a stream. */
export interface StreamEnd {
  /** Text not yet released. */
  readonly rest: string;
  readonly verdict: GuardrailsMetadata;
  /** Tool calls of flows. */
  readonly calls?: readonly DelegatedCall[];
  /** Returns the complete response as released, for its extra texts. */
  readonly final: () => unknown;
}

/**
 * Reads and writes the chunks of one kind of stream. INVARIANT: joined, the released chunks equal the value that
 * `invoke` would return; ids, indexes, tool calls and usage stay on their chunks.
 */
export interface ChunkFormat {
  /** True if more than the text must be read from the complete value. */
  readonly isComposite: boolean;
  /** Evidence found next to the response so far. */
  readonly relevantChunks?: readonly string[] | undefined;
  read(chunk: unknown): ChunkReading;
  /**
   * Chunks to release, with their texts as the rails left them.
   *
   * @param joined - the complete message, if the rails have read it
   */
  release(chunks: readonly unknown[], main: Reviewed, reasoning: Reviewed, joined?: BaseMessage): readonly unknown[];
  /** The rest of a complete value if rails changed more than its text. */
  replace?(final: unknown, rest: Rest, unreleased: readonly unknown[]): readonly unknown[];
  /** Chunks after the last text. */
  close(end: StreamEnd): readonly unknown[];
  /** The chunk with the refusal; it keeps only the identity and the cost of the response so far. */
  refuse(
    refusal: string,
    verdict: GuardrailsMetadata,
    unreleased: readonly unknown[],
    soFar: () => BotResponse,
  ): unknown;
}

/** Puts a rewritten text into the first chunk with text; the others become empty. */
export function placeText(texts: readonly string[], text: string): readonly string[] {
  const first = texts.findIndex((piece) => piece !== "");
  return texts.map((_, index) => (index === Math.max(0, first) ? text : ""));
}
