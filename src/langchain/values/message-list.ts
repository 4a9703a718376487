import type { BaseMessage } from "@langchain/core/messages";
import { mapItems } from "../../engine/walk.js";
import { splitLines } from "../../turn/extra-text.js";
import { shapeError } from "../shape-error.js";
import { readToolCalls } from "../tools/tool-calls.js";
import { registeredVerdict, utteranceMessage, withoutForeignVerdict } from "../verdict.js";
import {
  type BotResponse,
  plainResponse,
  refuseMessage,
  releaseMessage,
  rewriteMessage,
  textOfResponse,
  type ReadOptions,
} from "./response.js";
import { distributeText, extractText, reasoningText, rewriteReasoning } from "./content.js";
import { unseenInMessage, wholeText } from "./message-extras.js";
import { isMessage, roleOf } from "./message-kinds.js";
import { RESPONSE_HINT } from "./side.js";

/** Reads the bot's messages in a list: those at its end, and all that the caller neither sent nor received before. */
export function readMessages(original: readonly BaseMessage[], options: ListOptions = {}): BotResponse {
  const { asked, known } = options;
  const plain = mapItems(original, (message) => plainResponse(message as BaseMessage));
  const value = withoutGone(plain, { asked, known }) as readonly BaseMessage[];
  const { lastUser, isNew, responses, last, fresh, kept } = partsOf(value, options);
  const emitted = fresh.filter((message) => textOfResponse(message) !== "");
  const text = emitted.map(textOfResponse).join("\n");
  const question = value[lastUser];
  const answeredCallIds = new Set(value.map((listed) => (listed as { readonly tool_call_id?: unknown }).tool_call_id));
  // INVARIANT: calls that have run without a review leave with the list, so rails on calls read them too.
  const awaits = (message: BaseMessage): boolean =>
    responses.includes(message) &&
    readToolCalls(message).some(
      ({ id }) => id === undefined || !answeredCallIds.has(id) || registeredVerdict(message) === undefined,
    );
  return {
    value,
    text,
    message: last,
    listed: { all: value, fresh, kept, last },
    callers: value.flatMap((message, index) => (awaits(message) ? [{ message, index }] : [])),
    userText: question === undefined ? undefined : extractText(question),
    unseen: () =>
      value.flatMap((message, index) => (isNew[index] === true ? unseenInMessage(message, `messages[${index}]`) : [])),
    reasoning: () => responses.map(reasoningText).join(""),
    replaceReasoning: (reasoning) => {
      const after = distributeText(responses.map(reasoningText), "", reasoning);
      const replace = (message: BaseMessage, at: number): BaseMessage => rewriteReasoning(message, after[at] ?? "");
      return readMessages(changeEach(value, responses, replace), options);
    },
    rewrite: (rewritten) => {
      const changed = emitted.length > 0 || last === undefined ? emitted : [last];
      return rewritten === text ? value : rewriteResponses(value, changed, rewritten);
    },
    // INVARIANT: all messages of the bot and its tools since the user's message are removed.
    refuse: (refusal, verdict) => [
      ...kept,
      last === undefined ? utteranceMessage(refusal, verdict) : refuseMessage(last, refusal, verdict),
    ],
    mark: (verdict) =>
      value.map((message, index) => {
        if (message === last) return releaseMessage(message, verdict);
        if (responses.includes(message)) return releaseMessage(message, verdict, { marked: false });
        if (index > lastUser) return withoutForeignVerdict(message);
        if (known === undefined || known.isSent(message)) return message;
        return releaseMessage(message, verdict, { marked: false });
      }),
  };
}

type ListOptions = Pick<ReadOptions, "asked" | "known" | "mayBeEmpty">;

/** Parts of a list of messages. */
interface ListParts {
  /** Index of the last message of the user. */
  readonly lastUser: number;
  /** By index, true for messages that the caller neither sent nor received before. */
  readonly isNew: readonly boolean[];
  /** New messages of the bot. */
  readonly responses: readonly BaseMessage[];
  /** The last of them; undefined in a list that may have none. */
  readonly last: BaseMessage | undefined;
  /** New messages that output rails read. */
  readonly fresh: readonly BaseMessage[];
  /** Messages that stay before a refusal. */
  readonly kept: readonly BaseMessage[];
}

/** @throws InputShapeError for a list without a message of the bot, unless it may be empty */
function partsOf(value: readonly BaseMessage[], { asked, known, mayBeEmpty }: ListOptions): ListParts {
  const lastUser = lastAsked(value, { asked, known });
  // Without knowledge of the call, messages before the user's are taken for those of the application.
  const isOld = (message: BaseMessage): boolean =>
    known === undefined || known.isSent(message) || known.hasLeft(message);
  const isNew = value.map((message, index) => index > lastUser || !isOld(message));
  const responses = value.filter((message, index) => isNew[index] === true && roleOf(message) === "assistant");
  const last = value.findLast((message, index) => index > lastUser && roleOf(message) === "assistant");
  if (last === undefined && mayBeEmpty !== true)
    throw shapeError("expected a list with a message of the bot", value, RESPONSE_HINT);
  // Without knowledge of the call, system messages at the beginning are taken for those of the application.
  const first = value.findIndex((message) => roleOf(message) !== "system");
  // INVARIANT: a result of a tool that no rail has reviewed leaves with the list, so output rails read it; and so they do
  // with a message in the name of the user or the system that the caller never sent.
  const isRead = (message: BaseMessage, index: number): boolean => {
    const role = roleOf(message);
    if (role === "assistant") return responses.includes(message);
    if (role === "tool") return registeredVerdict(message) === undefined;
    return known === undefined ? role === "system" && index > first : !isOld(message);
  };
  const fresh = value.filter((message, index) => isNew[index] === true && isRead(message, index));
  const kept = value.slice(0, lastUser + 1).filter((message) => !fresh.includes(message));
  return { lastUser, isNew, responses, last, fresh, kept };
}

/**
 * The list with the messages of earlier turns as they left.
 *
 * @param list - messages, and values of other kinds, which stay
 */
export function withoutGone(list: readonly unknown[], { asked, known }: ListOptions): readonly unknown[] {
  if (known === undefined) return list;
  const last = lastAsked(list, { asked, known });
  return mapItems(list, (item, index) => (index < last && isMessage(item) ? known.asLeft(item) : item));
}

/**
 * INVARIANT: a message of a user that the caller never sent does not end the response before it. A call that continues a graph
 * asks nothing; its response begins after the last message that left with an earlier result.
 */
function lastAsked(list: readonly unknown[], { asked, known }: ListOptions): number {
  const isAsked = (message: BaseMessage): boolean =>
    asked === undefined ||
    asked.includes(wholeText(message)) ||
    (asked.length === 0 && known?.hasLeft(message) === true);
  return list.findLastIndex((item) => isMessage(item) && roleOf(item) === "user" && isAsked(item));
}

/** The list with these of its messages changed. */
function changeEach(
  value: readonly BaseMessage[],
  messages: readonly BaseMessage[],
  change: (message: BaseMessage, index: number) => BaseMessage,
): BaseMessage[] {
  return value.map((message) => (messages.includes(message) ? change(message, messages.indexOf(message)) : message));
}

function rewriteResponses(value: readonly BaseMessage[], emitted: readonly BaseMessage[], text: string): BaseMessage[] {
  const before = emitted.map(textOfResponse);
  const after = splitLines(before, text);
  return changeEach(value, emitted, (message, index) => {
    const own = after?.[index] ?? (index === emitted.length - 1 ? text : "");
    return rewriteMessage(message, before[index] ?? "", own);
  });
}
