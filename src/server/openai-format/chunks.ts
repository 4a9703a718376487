import type { AIMessageChunk } from "@langchain/core/messages";
import { extractText } from "../../langchain/values/content.js";
import { verdictOf } from "../../langchain/verdict.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { sseEvent } from "../sse.js";
import type { Exchange, UpstreamFacts } from "../upstream/exchange.js";
import {
  type CompletionHead,
  factFields,
  finishReasonOf,
  reasoningOf,
  refusalOf,
  usageOf,
  type WireReply,
} from "./completion.js";
import { logprobsOf } from "./logprobs.js";
import type { WireToolCall } from "./messages.js";
import { toWireVerdict, type VerdictDetails, type WireVerdict } from "./verdict.js";

/** Settings of one stream. */
export interface ChunkSettings {
  readonly configId: string;
  readonly details: VerdictDetails;
  readonly includeUsage: boolean;
}

/** Text between a partial answer and the refusal that replaces it, for clients that only join deltas. */
const SEPARATOR = "\n\n";

/** Writes released chunks of a message as the chunks of a `chat.completion.chunk` stream. */
export class ChunkWriter {
  readonly #head: CompletionHead;
  readonly #exchange: Exchange;
  readonly #settings: ChunkSettings;
  #hasRole = false;
  #text = "";
  readonly #calls: WireToolCall[] = [];
  #last: AIMessageChunk | undefined;
  #verdict: GuardrailsMetadata | undefined;
  #written: { readonly facts: UpstreamFacts; readonly json: string } | undefined;

  constructor(head: CompletionHead, exchange: Exchange, settings: ChunkSettings) {
    this.#head = head;
    this.#exchange = exchange;
    this.#settings = settings;
  }

  /** The verdict, once it has come; it comes with the last chunk, or with the refusal. */
  get verdict(): WireVerdict | undefined {
    return toWireVerdict(this.#verdict, this.#settings.configId, this.#settings.details);
  }

  /** Decisions of the rails, for observers. */
  get metadata(): GuardrailsMetadata | undefined {
    return this.#verdict;
  }

  /** Writes a chunk as an event; empty for one without anything to read. */
  write(chunk: AIMessageChunk): string {
    const verdict = verdictOf(chunk);
    this.#verdict ??= verdict;
    this.#last = chunk.usage_metadata === undefined && this.#last !== undefined ? this.#last : chunk;
    const isBlocked = this.#verdict?.blocked === true;
    const text = extractText(chunk);
    const calls = isBlocked ? [] : (chunk.tool_call_chunks ?? []);
    const refusal = isBlocked ? null : refusalOf(chunk);
    const reasoning = reasoningOf(chunk, isBlocked);
    if (text === "" && calls.length === 0 && refusal === null && reasoning === undefined) return "";
    const replaces = verdict?.replaces === true && this.#text !== "";
    const content = replaces ? `${SEPARATOR}${text}` : text;
    this.#text = replaces ? text : this.#text + text;
    for (const call of calls) this.#addCall(call);
    const logprobs = isBlocked ? null : logprobsOf(this.#exchange.detailsOf(chunk), text);
    const isOnlyText = this.#hasRole && calls.length === 0 && refusal === null && reasoning === undefined;
    if (isOnlyText) return this.#event(`{"content":${JSON.stringify(content)}}`, logprobs);
    const delta = {
      ...this.#role(),
      ...(text === "" ? {} : { content }),
      ...(refusal === null ? {} : { refusal }),
      ...reasoning,
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCallDelta) }),
    };
    return this.#event(JSON.stringify(delta), logprobs);
  }

  /** Writes all that has left in one chunk; none if nothing has. */
  whole(): readonly object[] {
    if (!this.#hasRole) return [];
    const { content, tool_calls: calls } = this.reply;
    const tool_calls = calls?.map((call, index) => ({ index, ...call }));
    const delta = { role: "assistant", content: content ?? "", refusal: null, ...(tool_calls && { tool_calls }) };
    return [this.#chunk(delta, null)];
  }

  /** Writes the last chunks: the one with the reason of the end and the verdict, and that with the usage. */
  end(): readonly object[] {
    const isBlocked = this.#verdict?.blocked === true;
    const reason = finishReasonOf(this.#last, this.#exchange, this.#calls.length > 0, isBlocked);
    const { verdict } = this;
    const last = {
      ...this.#chunk(this.#role(), reason),
      ...(verdict === undefined ? {} : { guardrails: verdict }),
    };
    if (!this.#settings.includeUsage) return [last];
    const usage = { ...this.#envelope(), choices: [], usage: usageOf(this.#last, this.#exchange) };
    return [last, usage];
  }

  /** The whole answer as a conversation keeps it. */
  get reply(): WireReply {
    const calls = this.#verdict?.blocked === true ? [] : this.#calls;
    const content = this.#text === "" && calls.length > 0 ? null : this.#text;
    return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  }

  #addCall({ index = 0, id, name, args = "" }: CallChunk): void {
    const { id: knownId = id ?? `call_${index}`, function: called } = this.#calls[index] ?? {};
    const { name: knownName = name ?? "", arguments: text = "" } = called ?? {};
    this.#calls[index] = { id: knownId, type: "function", function: { name: knownName, arguments: text + args } };
  }

  /** The first delta has the role; where an answer is empty, the last one is the first. */
  #role(): object {
    if (this.#hasRole) return {};
    this.#hasRole = true;
    return { role: "assistant", content: "", refusal: null };
  }

  #chunk(delta: object, finish_reason: string | null, logprobs: object | null = null): object {
    const choices = [{ index: 0, delta, logprobs, finish_reason }];
    return { ...this.#envelope(), choices, ...(this.#settings.includeUsage ? { usage: null } : {}) };
  }

  /** @param delta - JSON of the delta; most have only a text, and are written many times a second */
  #event(delta: string, logprobs: object | null): string {
    const usage = this.#settings.includeUsage ? ',"usage":null' : "";
    const choice = `{"index":0,"delta":${delta},"logprobs":${JSON.stringify(logprobs)},"finish_reason":null}`;
    return sseEvent(`${this.#openEnvelope()},"choices":[${choice}]${usage}}`);
  }

  #envelope(): object {
    const { facts } = this.#exchange;
    const { id, created, model } = this.#head;
    const envelope = { id, object: "chat.completion.chunk", created, model: facts.model ?? model };
    return { ...envelope, ...factFields(this.#exchange) };
  }

  /** The fields of all chunks as open JSON, which is written again only when the upstream server has stated others. */
  #openEnvelope(): string {
    const { facts } = this.#exchange;
    if (this.#written?.facts !== facts) {
      this.#written = { facts, json: JSON.stringify(this.#envelope()).slice(0, -1) };
    }
    return this.#written.json;
  }
}

type CallChunk = NonNullable<AIMessageChunk["tool_call_chunks"]>[number];

function writeCallDelta({ index = 0, id, name, args }: CallChunk): object {
  // Only the first delta of a call has an id.
  const head = id === undefined ? {} : { id, type: "function" };
  return { index, ...head, function: { ...(name === undefined ? {} : { name }), arguments: args ?? "" } };
}
