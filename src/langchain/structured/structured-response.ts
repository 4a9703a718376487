import type { MaybePromise } from "../../engine/async.js";
import type { BaseMessage, ToolCall } from "@langchain/core/messages";
import {
  type BotResponse,
  ownTextOf,
  plainResponse,
  refuseMessage,
  releaseMessage,
  stripMessage,
} from "../values/response.js";
import { readResponse } from "../values/read-response.js";
import type { ProposedCall } from "../tools/call-copies.js";
import { type CallTools, type ReadsCall, readToolCalls } from "../tools/tool-calls.js";
import { toToolCallChunks, announceDecisions } from "../verdict.js";
import { isMessage, isObject, roleOf, cloneMessage } from "../values/message-kinds.js";
import { reasoningText, rewriteReasoning } from "../values/content.js";
import { releasedOf, withoutEscapes } from "../values/escaped-text.js";
import { extraTextsOf } from "../values/message-extras.js";
import { shapeError } from "../shape-error.js";
import { joinLines, splitLines, splitOff } from "../../turn/extra-text.js";
import { isPlainName } from "../../turn/redact-data.js";
import { readValue, type ValueText } from "./structured-text.js";
import { hasStatus, type RailDecision } from "../../turn/decision.js";
import { attempt } from "../../engine/walk.js";
import type { GuardedCall } from "../call.js";
import type { TurnOutcome } from "../review/review.js";

/** Output of a structured model with `includeRaw`. */
export interface StructuredValue {
  readonly raw: BaseMessage;
  /** Null if the response did not match the schema. */
  readonly parsed: unknown;
}

/** Metadata of the call; other metadata may repeat the response. */
const KEPT_METADATA = ["model_name", "model", "finish_reason", "stop_reason", "system_fingerprint"] as const;

/**
 * Reads a structured response: the text of the message, the arguments of its calls and the parsed value, without
 * duplicates. `rewrite` throws a `SchemaMismatchError` if the text cannot be put back.
 *
 * @throws InputShapeError if the bot's message is missing or a value cannot be read
 */
export function readStructuredResponse(value: unknown): BotResponse {
  if (!isObject(value) || !isMessage(value["raw"]) || roleOf(value["raw"]) !== "assistant") {
    throw shapeError("expected a structured answer with its message", value, "wrap a model that honours `includeRaw`");
  }
  const given: StructuredValue = { raw: plainResponse(value["raw"]), parsed: value["parsed"] ?? null };
  const { raw } = given;
  const sections = sectionsOf(given);
  const text = [...sections.keys()].join("\n");
  return {
    value: given,
    text,
    message: raw,
    callers: [{ message: raw }],
    reasoning: () => reasoningText(raw),
    replaceReasoning: (reasoning) => readStructuredResponse({ ...given, raw: rewriteReasoning(raw, reasoning) }),
    rewrite: (changed) => (changed === text ? given : rewriteStructured(given, sections, changed)),
    refuse: (refusal, verdict): StructuredValue => ({ raw: refuseMessage(raw, refusal, verdict), parsed: null }),
    mark: (verdict): StructuredValue => ({ ...given, raw: releaseMessage(raw, verdict, { callsTools: false }) }),
  };
}

/**
 * Reads a message that may call tools. Names of tools that were not offered are model text: rails read them with the
 * response, and a changed name makes the call unusable.
 */
export function readCallingResponse(message: unknown, { reads, names }: CallTools): BotResponse {
  const plain = readResponse(message);
  const calls = plain.message === undefined ? [] : readToolCalls(plain.message);
  return calls.length === 0 ? plain : withUnknownNames(readArguments(plain, reads), names);
}

function withUnknownNames(response: BotResponse, known: readonly string[] | undefined): BotResponse {
  const { message } = response;
  const asked = message === undefined ? [] : readToolCalls(message).map(({ name }) => name);
  const strange = asked.filter(
    (name) => name !== "" && (known === undefined ? !isPlainName(name) : !known.includes(name)),
  );
  if (strange.length === 0) return response;
  const lines = [...new Set(strange)].join("\n");
  return {
    ...response,
    text: joinLines(response.text, lines),
    mainText: response.mainText ?? response.text,
    replaceReasoning: (reasoning) => withUnknownNames(response.replaceReasoning(reasoning), known),
    rewrite: (changed) => {
      const after = splitOff(response.text, lines, changed);
      if (after.others !== lines) throw new SchemaMismatchError("a rail changed the name of a tool");
      return response.rewrite(after.main);
    },
  };
}

function readArguments(plain: BotResponse, reads: ReadsCall): BotResponse {
  const { message: raw } = plain;
  if (raw === undefined || !readToolCalls(raw).some(({ name }) => reads(name))) return plain;
  const given: StructuredValue = { raw, parsed: null };
  const sections = sectionsOf(given, reads);
  const text = [...sections.keys()].join("\n");
  return {
    ...plain,
    text,
    replaceReasoning: (reasoning) => readArguments(readResponse(plain.replaceReasoning(reasoning).value), reads),
    rewrite: (changed) => (changed === text ? raw : rewriteStructured(given, sections, changed, reads).raw),
  };
}

function sectionsOf({ raw, parsed }: StructuredValue, reads: ReadsCall = () => true): ReadonlyMap<string, ValueText> {
  const calls = readToolCalls(raw).filter(({ name }) => reads(name));
  // Rewrites of the extra texts have no effect: a changed message is rebuilt without them.
  const extra: ValueText = {
    text: extraTextsOf(raw, ownTextOf(raw)).join("\n"),
    rewrite: (changed) => ({ value: changed }),
  };
  const sections = [...contentSections(raw), extra, ...calls.map(readCall), readValue(parsed)];
  return new Map(sections.filter(({ text }) => text !== "").map((section) => [section.text, section]));
}

/** INVARIANT: JSON is read as its values, since escapes could hide a word from a rail. */
function contentSections(raw: BaseMessage): readonly [ValueText, ...ValueText[]] {
  const text = ownTextOf(raw);
  const asText: ValueText = { text, rewrite: (changed) => ({ value: changed }) };
  const value = /^\s*[[{]/.test(text) ? attempt(() => JSON.parse(text) as unknown) : undefined;
  if (value === undefined) {
    const decoded = withoutEscapes(text);
    return decoded === undefined ? [asText] : [asText, { text: decoded, rewrite: (changed) => ({ value: changed }) }];
  }
  const read = readValue(value);
  const asValue: ValueText = {
    text: read.text,
    rewrite: (changed) => {
      const rewritten = read.rewrite(changed);
      return rewritten === undefined ? undefined : { value: JSON.stringify(rewritten.value) };
    },
  };
  const withoutSpaces = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  // Of two equal keys the value has one, but the text has both.
  return withoutSpaces === JSON.stringify(value) ? [asValue] : [asValue, asText];
}

/** Arguments that are not valid JSON are read as text; only a message without them can be rebuilt. */
function readCall({ name, args, problem }: ProposedCall): ValueText {
  return readValue(problem === undefined ? args : { [name]: args });
}

function rewriteStructured(
  { raw, parsed }: StructuredValue,
  sections: ReadonlyMap<string, ValueText>,
  text: string,
  reads: ReadsCall = () => true,
): StructuredValue {
  const before = [...sections.keys()];
  const parts = splitLines(before, text);
  if (parts === undefined) throw new SchemaMismatchError("a rail changed the number of lines");
  const after = new Map(before.map((section, index) => [section, parts[index] ?? ""]));
  const putBack = (section: ValueText): unknown => {
    const rewritten = section.rewrite(after.get(section.text) ?? section.text);
    if (rewritten === undefined) throw new SchemaMismatchError("a rail changed a value that is not a text");
    return rewritten.value;
  };
  const calls = readToolCalls(raw).flatMap((call, index): ToolCall[] => {
    const args = reads(call.name) ? putBack(readCall(call)) : call.args;
    if (call.problem !== undefined || call.name === "" || !isObject(args)) return [];
    return [{ type: "tool_call", name: call.name, args, id: call.id ?? `call_${index}` }];
  });
  const [main, other] = contentSections(raw);
  const put = putBack(main) as string;
  const isEscaped = other !== undefined && other.text === withoutEscapes(main.text);
  const content = isEscaped ? releasedOf(main.text, other.text, joinLines(put, putBack(other) as string)) : put;
  return { raw: rebuildMessage(raw, content, calls), parsed: putBack(readValue(parsed)) };
}

function rebuildMessage(raw: BaseMessage, content: string, calls: readonly ToolCall[]): BaseMessage {
  const entries = KEPT_METADATA.map((key) => [key, raw.response_metadata?.[key] as unknown] as const);
  const metadata = Object.fromEntries(entries.filter(([, value]) => typeof value === "string"));
  const copy = stripMessage(raw, content, metadata);
  const chunks = "tool_call_chunks" in copy ? { tool_call_chunks: toToolCallChunks(calls) } : {};
  return cloneMessage(copy, { tool_calls: calls, ...chunks });
}

/** A rail's text that cannot be put back into its structured value. */
export class SchemaMismatchError extends Error {
  override name = "SchemaMismatchError";
}

/** Blocks a response whose rewritten text cannot be put back, with a decision of the rail that rewrote it. */
export async function blockMismatch(
  { response, texts, verdict }: TurnOutcome & { readonly kind: "response" },
  call: GuardedCall,
): Promise<TurnOutcome & { readonly kind: "blocked" }> {
  const { decisions } = verdict;
  const rail = decisions.findLast(
    (candidate) => candidate.stage === "output" && hasStatus([candidate], "modified"),
  )?.rail;
  const decision: RailDecision = {
    status: "error",
    stage: "output",
    rail: rail ?? "structured output",
    reason: "the text rewritten by the output rails does not match the structured answer",
    durationMs: 0,
  };
  await announceDecisions([decision], call.announce);
  const blocked = { ...verdict, blocked: true, stage: decision.stage, rail: decision.rail };
  const block = { refusal: "", verdict: { ...blocked, decisions: [...decisions, decision] } };
  return { kind: "blocked", block, response, texts };
}

/** The outcome, or a block if the rails' text cannot be put back into the response. */
export function refuseSchemaMismatch(outcome: TurnOutcome, call: GuardedCall): MaybePromise<TurnOutcome> {
  if (outcome.kind !== "response" || outcome.text === outcome.response.text) return outcome;
  try {
    outcome.response.rewrite(outcome.text);
    return outcome;
  } catch (error) {
    if (!(error instanceof SchemaMismatchError)) throw error;
    return blockMismatch(outcome, call);
  }
}
