import type { BaseMessage } from "@langchain/core/messages";
import { type RailDecision, type Block, blockWith } from "../../turn/decision.js";
import { textsIn } from "../../turn/redact-data.js";
import { matchesJsonSchema } from "../../actions/json-schema.js";
import type { GuardedCall } from "../call.js";
import type { ProposedCall } from "./call-copies.js";
import {
  fingerprint,
  readToolCalls,
  replaceToolCalls,
  type ReviewedCall,
  toolNameOf,
  descriptionOf,
} from "./tool-calls.js";
import { interopSafeParseAsync, isInteropZodSchema } from "@langchain/core/utils/types";
import { joinLines, splitOff } from "../../turn/extra-text.js";
import { releasedOf, withoutEscapes } from "../values/escaped-text.js";
import { isObject } from "../values/message-kinds.js";
import { restoreValue } from "../values/restore.js";

/** Context of a call for its rails. */
export interface CallSettings {
  readonly userText?: string | undefined;
  /** Tools offered to the model. */
  readonly tools?: readonly unknown[] | undefined;
  /** Keep blocked calls in the message without their arguments, instead of blocking the message. */
  readonly strip?: boolean | undefined;
}

/** Decisions of rails, with the block if there is one. */
export interface Decided {
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

/** Runs the tool-call rails over one call; returns the reviewed call. */
export async function reviewCall(
  proposed: ProposedCall,
  { conversation }: GuardedCall,
  { userText, tools = [] }: CallSettings = {},
): Promise<Decided & { readonly call: ProposedCall }> {
  const { name, args, id } = proposed;
  if (!conversation.guardsTool("tool_output", name)) return { call: proposed, decisions: [] };
  // A tool's schema describes values, so pseudonyms are restored first.
  const problem = await problemOfCall(restoreValue(proposed, conversation.pseudonyms.table), tools);
  const subject = { tool: name, args, callId: id, problem, userMessage: userText };
  const { check, decisions, block } = await conversation.toolCall(subject, textsIn(args));
  if (block !== undefined) {
    const refused = marked(decisions, "refused", { ...proposed, args: {} });
    return { call: proposed, decisions: refused, block: blockWith(block, refused) };
  }
  const call = check.args === undefined ? proposed : { ...proposed, args: check.args };
  return { call, decisions: marked(decisions, "passed", call) };
}

/** A result text after the rails. */
export type ResultReview = Decided & { readonly text: string };

/** A tool result as text. */
export interface ResultText {
  readonly text: string;
  /** Additional lines, such as those of an artifact. */
  readonly extra?: string | undefined;
  /** True for texts that no schema describes: of errors, and those that are not results of their own. */
  readonly failed?: boolean | undefined;
}

/** Tool output after the rails. */
export type OutputReview = Decided & { readonly output: unknown };

/** Reviews one text of a tool's output with its additional lines. */
export type ReviewText = (given: ResultText) => Promise<ResultReview>;

/** Returns a review that also reads each text without escapes of JSON, as its receiver may. */
export function readingEscapes(review: ReviewText): ReviewText {
  return async (given) => {
    const { text, extra = "" } = given;
    const decoded = withoutEscapes(text);
    if (decoded === undefined) return review(given);
    const reviewed = await review({ ...given, extra: joinLines(extra, decoded) });
    const { main: lines, others } = splitOff(joinLines(text, extra), decoded, reviewed.text);
    const { main, others: left } = splitOff(text, extra, lines);
    return { ...reviewed, text: joinLines(releasedOf(text, decoded, joinLines(main, others)), left) };
  };
}

/** Runs the tool-result rails over one result; returns its text with the additional lines. */
export async function reviewResult(
  { call, text, extra, failed }: ResultText & { readonly call: ProposedCall },
  { conversation }: GuardedCall,
  { userText }: CallSettings = {},
): Promise<ResultReview> {
  const { name, args, id } = call;
  const subject = { tool: name, args, callId: id, result: text, extra, failed, userMessage: userText };
  const { check, decisions, block } = await conversation.toolResult(subject);
  return { text: check.result, decisions, ...(block === undefined ? {} : { block }) };
}

export interface CallsReview extends Decided {
  /** Returns the message with its calls as the rails left them; absent if they are unchanged. */
  readonly apply?: <M extends BaseMessage>(message: M) => M;
}

/**
 * Reviews all tool calls of a message. A block applies to the whole message, unless blocked calls are `stripped`: then
 * they stay without their arguments, so the agent can refuse just these.
 */
export async function reviewToolCalls(
  message: BaseMessage,
  guarded: GuardedCall,
  options: CallSettings = {},
): Promise<CallsReview> {
  // A call that is removed from its message is identified by its id later.
  const calls = readToolCalls(message).map((call, index) =>
    call.id === undefined && options.strip === true ? { ...call, id: `call_${index}` } : call,
  );
  if (calls.length === 0) return { decisions: [] };
  const reviews = await Promise.all(calls.map((call) => reviewCall(call, guarded, options)));
  const decisions = reviews.flatMap((review) => review.decisions);
  const blocked = reviews.find(({ block }) => block !== undefined)?.block;
  if (blocked !== undefined && options.strip !== true) return { decisions, block: blockWith(blocked, decisions) };
  const after = reviews.map(({ call, block }): ReviewedCall =>
    block === undefined ? call : { name: call.name, args: {}, id: call.id, stripped: true },
  );
  const isSame = after.every((call, index) => call === calls[index]);
  return isSame ? { decisions } : { decisions, apply: (changed) => replaceToolCalls(changed, calls, after) };
}

/**
 * The last decision on a passed call has its fingerprint, so the tool need not run the rails again; that on a blocked
 * call has the fingerprint of its remainder, so the agent does not run it.
 */
function marked(decisions: readonly RailDecision[], mark: CallMark, call: ProposedCall): readonly RailDecision[] {
  const last = decisions.findLastIndex(({ shadow }) => shadow === undefined);
  const at = last === -1 ? decisions.length - 1 : last;
  return decisions.map((decision, index) =>
    index === at ? { ...decision, metadata: { ...decision.metadata, [mark]: fingerprint(call) } } : decision,
  );
}

type CallMark = "passed" | "refused";

/** Returns true if these decisions passed exactly this call, or if it is the remainder of a call that they refused. */
export function isMarked(decisions: readonly RailDecision[], mark: CallMark, call: ProposedCall): boolean {
  return decisions.some(({ stage, metadata }) => stage === "execution" && metadata?.[mark] === fingerprint(call));
}

/**
 * Finds the problem of a call, given the offered tools: an unknown tool, or arguments it would not accept. Undefined if
 * there is none, or if the offered tools are unknown.
 */
async function problemOfCall(call: ProposedCall, offered: readonly unknown[]): Promise<string | undefined> {
  if (call.problem !== undefined) return call.problem;
  const tools = offered.filter(isObject);
  if (tools.length === 0) return undefined;
  const tool = tools.find((candidate) => toolNameOf(candidate) === call.name);
  if (tool === undefined) return "no tool of this name was offered";
  const { schema, parameters, input_schema } = descriptionOf(tool);
  const isFit = await fits(schema ?? parameters ?? input_schema, call.args);
  return isFit ? undefined : "the arguments do not match the tool's schema";
}

/** INVARIANT: an unusable schema is ignored here; the tool applies it itself. */
async function fits(schema: unknown, args: unknown): Promise<boolean> {
  if (!isObject(schema)) return true;
  if (isInteropZodSchema(schema)) {
    const parsed = await interopSafeParseAsync(schema, args).catch(() => ({ success: false }));
    return parsed.success;
  }
  if (typeof schema["type"] !== "string") return true;
  try {
    return await matchesJsonSchema(withOptionalUnknowns(schema) as object, args);
  } catch {
    return true;
  }
}

const MAX_SCHEMA_DEPTH = 64;
const DATA_KEYWORDS: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Makes properties of type `z.unknown()` optional: zod 4 lists them as required, but accepts objects without them. */
function withOptionalUnknowns(schema: unknown, depth = 0): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withOptionalUnknowns(item, depth + 1));
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      DATA_KEYWORDS.has(key) ? value : withOptionalUnknowns(value, depth + 1),
    ]),
  );
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return copy;
  const takesAnything = (taken: unknown): boolean =>
    taken === true || (isObject(taken) && Object.keys(taken).every((key) => ["title", "description"].includes(key)));
  const isNeeded = (name: unknown): boolean =>
    typeof name !== "string" || !Object.hasOwn(properties, name) || !takesAnything(properties[name]);
  return { ...copy, required: required.filter(isNeeded) };
}
