import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { PseudonymTable } from "../../actions/pseudonym-table.js";
import type { GuardedCall } from "../call.js";
import { quietHandler } from "../callbacks.js";
import { hide, restore } from "../tools/restored-output.js";
import { messageFingerprint } from "../tools/tool-calls.js";
import { isMessage, isObject, type PlainObject, roleOf } from "../values/message-kinds.js";
import { rewriteWhole, wholeText } from "../values/message-extras.js";
import { nameOfCall } from "../values/read-user-input.js";
import { ChunkRestorer } from "../streaming/restored-stream.js";
import { extractText } from "../values/content.js";
import { hiddenMessage, verdictOf } from "../verdict.js";

/** Messages as an agent's model receives them, and the pseudonyms in them. */
export interface MaskedMessages {
  readonly messages: readonly BaseMessage[];
  readonly table: PseudonymTable | undefined;
}

/**
 * Replaces values in all messages of an agent by pseudonyms. The agent's state keeps the values, which users and tools
 * read, so every hook numbers the pseudonyms again from the first message: the same messages always get the same
 * pseudonyms, in any process, checkpoint or branch.
 */
export async function maskMessages(messages: readonly BaseMessage[], call: GuardedCall): Promise<MaskedMessages> {
  const { pseudonyms } = call.conversation;
  const masked: BaseMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const name = roleOf(message) === "tool" ? nameOfCall(messages, index) : undefined;
    const text = roleOf(message) === "system" ? "" : wholeText(message, name);
    const changed = text === "" ? undefined : await pseudonyms.replaceAgain([text], name);
    const left = changed?.has(text) === true ? changed.get(text) : text;
    if (left === undefined) masked.push(hiddenMessage(message));
    else masked.push(left === text ? message : rewriteWhole(message, left, name));
  }
  const { table } = pseudonyms;
  if (table === undefined) return { messages: masked, table };
  // Tool arguments, and values that only another message reveals as such.
  return { messages: masked.map((message) => (roleOf(message) === "system" ? message : hide(message, table))), table };
}

/** Returns the original message if rails only replaced values by pseudonyms. */
export function restoreInState(
  message: BaseMessage,
  before: BaseMessage | undefined,
  table: PseudonymTable | undefined,
): BaseMessage {
  const restored = restore(message, table);
  if (table === undefined || before === undefined) return restored;
  const isSame =
    messageFingerprint(restored) === messageFingerprint(before) && wholeText(restored) === wholeText(before);
  return isSame ? before : restored;
}

/** Handlers that only feed streams receive the values, because users read those; all others observe pseudonyms. */
export function restoringHandlers(
  handlers: readonly BaseCallbackHandler[],
  table: PseudonymTable | undefined,
): BaseCallbackHandler[] {
  if (table === undefined) return [...handlers];
  return handlers.map((handler) => (quietHandler(handler) === undefined ? restoringHandler(handler, table) : handler));
}

type Method = (...args: unknown[]) => unknown;

function restoringHandler(handler: BaseCallbackHandler, table: PseudonymTable): BaseCallbackHandler {
  const given = handler as unknown as PlainObject;
  const call = (name: string, args: readonly unknown[]): unknown =>
    typeof given[name] === "function" ? (given[name] as Method).apply(handler, [...args]) : undefined;
  const runs = new Map<unknown, { readonly restorer: ChunkRestorer; last: readonly unknown[] }>();
  const send = (message: unknown, [, ...rest]: readonly unknown[]): unknown => {
    const text = isMessage(message) ? extractText(message) : "";
    const args = [text, ...rest];
    args[5] = { chunk: new ChatGenerationChunk({ text, message: message as never }) };
    return call("handleLLMNewToken", args);
  };
  const onToken: Method = (...args) => {
    const { message } = ((args[5] as PlainObject | undefined)?.["chunk"] ?? {}) as { readonly message?: unknown };
    if (!isMessage(message)) return call("handleLLMNewToken", args);
    const run = runs.get(args[2]) ?? { restorer: new ChunkRestorer(table), last: args };
    runs.set(args[2], run);
    run.last = args;
    return send(run.restorer.take(message, verdictOf(message) !== undefined), args);
  };
  const onEnd: Method = async (...args) => {
    const run = runs.get(args[1]);
    runs.delete(args[1]);
    for (const rest of run?.restorer.rest() ?? []) await send(rest, run?.last ?? []);
    const output = args[0] as { readonly generations: readonly (readonly { readonly message?: unknown }[])[] };
    const generations = output.generations.map((each) =>
      each.map((one) => (isObject(one) ? { ...one, message: restore(one.message, table) } : one)),
    );
    return call("handleLLMEnd", [{ ...output, generations }, ...args.slice(1)]);
  };
  const own: Readonly<Record<string, Method>> = { handleLLMNewToken: onToken, handleLLMEnd: onEnd };
  return new Proxy(handler, {
    get: (target, key) => {
      if (typeof key === "string" && Object.hasOwn(own, key)) return own[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
