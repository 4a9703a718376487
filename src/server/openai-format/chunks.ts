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

/** Text between a partial response and the refusal that replaces it, for clients that only concatenate deltas. */
const SEPARATOR = "\n\n";

/** Writes the released chunks of a message as a `chat.completion.chunk` stream. */
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

  /** The verdict, once it is known; it is sent with the last chunk or with the refusal. */
  get verdict(): WireVerdict | undefined {
    return toWireVerdict(this.#verdict, this.#settings.configId, this.#settings.details);
  }

  /** Decisions of the rails, for observers. */
  get metadata(): GuardrailsMetadata | undefined {
    return this.#verdict;
  }

  /** Writes a chunk as an event; returns an empty string for a chunk without visible content. */
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

  /** Returns the whole released message as one chunk; none if nothing was released. */
  whole(): readonly object[] {
    if (!this.#hasRole) return [];
    const { content, tool_calls: calls } = this.reply;
    const tool_calls = calls?.map((call, index) => ({ index, ...call }));
    const delta = { role: "assistant", content: content ?? "", refusal: null, ...(tool_calls && { tool_calls }) };
    return [this.#chunk(delta, null)];
  }

  /** Returns the last chunks: one with the finish reason and the verdict, one with the usage. */
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

  /** The complete response as a conversation stores it. */
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

  /** Returns the role for the first delta. In an empty response, the last delta is the first one. */
  #role(): object {
    if (this.#hasRole) return {};
    this.#hasRole = true;
    return { role: "assistant", content: "", refusal: null };
  }

  #chunk(delta: object, finish_reason: string | null, logprobs: object | null = null): object {
    const choices = [{ index: 0, delta, logprobs, finish_reason }];
    return { ...this.#envelope(), choices, ...(this.#settings.includeUsage ? { usage: null } : {}) };
  }

  /** @param delta - JSON of the delta. Most deltas contain only text, and many are written per second. */
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

  /** Returns the fields of all chunks as unclosed JSON; serialized again only if the upstream server changes them. */
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
  // Only the first delta of a tool call has an id.
  const head = id === undefined ? {} : { id, type: "function" };
  return { index, ...head, function: { ...(name === undefined ? {} : { name }), arguments: args ?? "" } };
}
