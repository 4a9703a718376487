import type { ResponseOptions } from "../values/response.js";
import { utteranceMessage, hiddenMessage } from "../verdict.js";
import { verdictEntry } from "../values/read-response.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { HIDDEN_USER_TEXT } from "../../turn/conversation.js";
import type { DelegatedCall } from "../tools/tool-calls.js";
import { isTextModel } from "../models/model-traits.js";
import { isMessage, isObject, isPromptValue, type PlainObject } from "../values/message-kinds.js";
import { responseKeyOf, isMessageList } from "../values/side.js";

/** Shape of a runnable's result, inferred without running it. */
export type ResultShape =
  | { readonly kind: "string" | "message" | "messages" }
  | { readonly kind: "object"; readonly keys: ReadonlyMap<string, ResultShape | undefined>; readonly passes: boolean };

const MAX_DEPTH = 32;

/** Keys that identify a message. */
const LABELS = ["id", "role", "type", "tool_call_id"] as const;

/** Inspects the last part of a chain: a parser returns a string, a model a message, a map an object. */
export function shapeOfRunnable(runnable: unknown, depth = 0): ResultShape | undefined {
  if (!isObject(runnable) || depth > MAX_DEPTH) return undefined;
  // Text models also stream with the method of chat models.
  if (isTextModel(runnable) || isStringParser(runnable)) return { kind: "string" };
  if ("_streamResponseChunks" in runnable) return { kind: "message" };
  if (isObject(runnable["bound"])) return shapeOfRunnable(runnable["bound"], depth + 1);
  if (Array.isArray(runnable["middle"])) return shapeOfRunnable(runnable["last"], depth + 1);
  if (isObject(runnable["mapper"])) return shapeOfMap(runnable["mapper"]["steps"], true, depth);
  if (isObject(runnable["steps"])) return shapeOfMap(runnable["steps"], false, depth);
  if (isObject(runnable["channels"]) && isObject(runnable["nodes"])) return { kind: "messages" };
  return isObject(runnable["runnable"]) ? shapeOfRunnable(runnable["runnable"], depth + 1) : undefined;
}

/** Source of a text that replaces a result. */
interface ReplacedResult {
  readonly runnable: unknown;
  readonly input: unknown;
  readonly options: ResponseOptions;
  /** Indexes of blocked messages, which are not returned. */
  readonly blocked?: readonly number[];
  /** Tool calls of flows, added to a message of this package. */
  readonly calls?: readonly DelegatedCall[] | undefined;
}

/** Puts a refusal or a flow's text into the result shape of the runnable. */
export function shapeUtterance(text: string, verdict: GuardrailsMetadata, from: ReplacedResult): unknown {
  const { options, input, blocked = [], calls } = from;
  const shape = shapeOfRunnable(from.runnable) ?? shapeOfInput(input, options);
  const named = options.outputKey;
  if (named !== undefined && shape.kind !== "object") return { [named]: text, ...verdictEntry(options, verdict) };
  switch (shape.kind) {
    case "string":
      return text;
    case "message":
      return utteranceMessage(text, verdict, calls);
    case "messages": {
      const list: unknown = isObject(input) ? input["messages"] : input;
      const before = (Array.isArray(list) ? (list as readonly unknown[]) : []).map((item, index) =>
        blocked.includes(index) ? noteLike(item) : item,
      );
      const messages = [...before, utteranceMessage(text, verdict, calls)];
      return { ...(isObject(input) && !isMessage(input) ? input : {}), messages };
    }
    case "object":
      return utteranceInObject(text, verdict, shape, from);
  }
}

function utteranceInObject(
  text: string,
  verdict: GuardrailsMetadata,
  shape: ResultShape & { kind: "object" },
  from: ReplacedResult,
): PlainObject {
  const { options, input } = from;
  const contextKey = options.contextKey ?? "context";
  const keys = Object.fromEntries([...shape.keys.keys()].map((key) => [key, true]));
  const responseKey = responseKeyOf(keys, options) ?? options.outputKey ?? "answer";
  const utterance =
    shape.keys.get(responseKey)?.kind === "message" ? utteranceMessage(text, verdict, from.calls) : text;
  return {
    ...(shape.passes && isObject(input) ? input : {}),
    ...(shape.keys.has(contextKey) ? { [contextKey]: [] } : {}),
    [responseKey]: utterance,
    ...verdictEntry(options, verdict),
  };
}

function shapeOfMap(steps: unknown, passes: boolean, depth: number): ResultShape | undefined {
  if (!isObject(steps)) return undefined;
  const keys = Object.entries(steps).map(([key, step]) => [key, shapeOfRunnable(step, depth + 1)] as const);
  return { kind: "object", keys: new Map(keys), passes };
}

function shapeOfInput(input: unknown, options: ResponseOptions): ResultShape {
  if (options.outputKey !== undefined)
    return { kind: "object", keys: new Map([[options.outputKey, undefined]]), passes: false };
  if (isMessage(input) || isMessageList(input) || isPromptValue(input)) return { kind: "message" };
  return isObject(input) && Array.isArray(input["messages"]) ? { kind: "messages" } : { kind: "string" };
}

/** A note that replaces a message, in the form of the message. */
function noteLike(item: unknown): unknown {
  if (isMessage(item)) return hiddenMessage(item);
  if (Array.isArray(item)) return [item[0], HIDDEN_USER_TEXT];
  if (!isObject(item)) return HIDDEN_USER_TEXT;
  const kept = LABELS.flatMap((key) => (Object.hasOwn(item, key) ? [[key, item[key]] as const] : []));
  return { ...Object.fromEntries(kept), content: HIDDEN_USER_TEXT };
}

function isStringParser(runnable: PlainObject): boolean {
  const namespace = runnable["lc_namespace"];
  const { lc_name: name } = runnable.constructor as { lc_name?: () => string };
  if (!Array.isArray(namespace) || !namespace.includes("output_parsers") || typeof name !== "function") return false;
  const parser = name.call(runnable.constructor);
  return parser === "StrOutputParser" || parser === "StringOutputParser";
}
