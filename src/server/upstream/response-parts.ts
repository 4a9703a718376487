import type { UsageMetadata } from "@langchain/core/messages";
import { isObject, type PlainObject } from "../../langchain/values/message-kinds.js";
import { UpstreamError } from "./errors.js";
import type { UpstreamFacts, WireUsage } from "./exchange.js";

/** @throws UpstreamError for content that is neither text nor parts; dropping it would leave a response without text */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) throw new UpstreamError(0, "the upstream content is neither text nor parts");
  return content
    .map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** Returns texts outside the content that rails also read: the refusal of the provider, and the reasoning. */
export function extrasOf({ refusal, reasoning_content }: PlainObject): Record<string, unknown> | undefined {
  const isRefused = typeof refusal === "string" && refusal !== "";
  const isReasoned = typeof reasoning_content === "string" && reasoning_content !== "";
  if (!isRefused && !isReasoned) return undefined;
  return { ...(isRefused ? { refusal } : {}), ...(isReasoned ? { reasoning_content } : {}) };
}

/** Pattern of model names, fingerprints and tiers. INVARIANT: none of them can contain a sentence, since no rail reads them. */
const NAME = /^[\w.:/@+-]{1,128}$/;

function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && NAME.test(value) ? value : undefined;
}

/** Returns what an upstream response says besides its text. Names that could be text are left out. */
export function factsOf(
  body: PlainObject,
  choice: PlainObject,
  more?: Pick<UpstreamFacts, "usage" | "headers">,
): UpstreamFacts {
  const { created } = body;
  return {
    model: nameIn(body["model"]),
    created: typeof created === "number" ? created : undefined,
    systemFingerprint: nameIn(body["system_fingerprint"]),
    serviceTier: nameIn(body["service_tier"]),
    finishReason: nameIn(choice["finish_reason"]),
    usage: more?.usage,
    headers: more?.headers,
  };
}

const CALL_ID = /^[\w.:/|+=-]{1,256}$/;

/** Returns the id of a tool call, or a generated id if it could be text. */
export function callId(id: unknown, index: number): string {
  return typeof id === "string" && CALL_ID.test(id) ? id : `call_${index}`;
}

/** Returns token usage: numbers, and records of numbers. Other values could be text. */
export function usageOf(usage: unknown): WireUsage | undefined {
  if (!isObject(usage) || typeof usage["total_tokens"] !== "number") return undefined;
  return countsIn(usage) as WireUsage;
}

function countsIn(record: PlainObject, isInner = false): PlainObject {
  // Most servers send nothing else, so nothing has to be removed.
  if (hasOnlyCounts(record, isInner)) return record;
  const counts = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    if (!NAME.test(name)) return [];
    if (typeof value === "number" || value === null) return [[name, value]];
    return isObject(value) && !isInner ? [[name, countsIn(value, true)]] : [];
  });
  return Object.fromEntries(counts);
}

function hasOnlyCounts(record: PlainObject, isInner: boolean): boolean {
  for (const name in record) {
    const value = record[name];
    if (!NAME.test(name) || !Object.hasOwn(record, name)) return false;
    const isCount = typeof value === "number" || value === null;
    if (!isCount && (isInner || !isObject(value) || !hasOnlyCounts(value, true))) return false;
  }
  return true;
}

export function usageMetadata(usage: WireUsage): UsageMetadata {
  const { prompt_tokens: input = 0, completion_tokens: output = 0, total_tokens: total } = usage;
  return { input_tokens: input, output_tokens: output, total_tokens: total };
}
