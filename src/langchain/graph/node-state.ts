import { type CommandLike } from "../tools/tool-output.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { AIMessage, type BaseMessage, RemoveMessage } from "@langchain/core/messages";
import type { GuardrailsMetadata, Block } from "../../turn/decision.js";
import { applyBlock, type OnBlocked } from "../blocked.js";
import type { GuardedCall } from "../call.js";
import { extractText } from "../values/content.js";
import { evidenceTexts } from "../values/evidence.js";
import type { DelegatedCall } from "../tools/tool-calls.js";
import { type PlainObject, roleOf, toMessage } from "../values/message-kinds.js";
import { shapeError } from "../shape-error.js";
import { registerVerdict } from "../verdict.js";
import { rewriteMessages } from "../values/read-user-input.js";
import { type UserInput } from "../values/input-object.js";
import { hiddenMessage, idOf, messageUpdates } from "./message-updates.js";
import type { RunnableLike } from "@langchain/core/runnables";
import { ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import { GuardrailsError } from "../../diagnostics/errors.js";

/** One run of a node. */
export interface NodeRun {
  readonly state: PlainObject;
  readonly call: GuardedCall;
  readonly options: GuardrailsNodeOptions;
}

/** Update of a node, before verdict and direction are added. */
export interface NodeWrite {
  readonly update: PlainObject;
  readonly verdict: GuardrailsMetadata;
  /** The command of the guarded node, whose direction stays. */
  readonly command?: object | undefined;
}

export function messagesKeyOf({ messagesKey }: GuardrailsNodeOptions): string {
  return messagesKey ?? "messages";
}

/** @throws InputShapeError when the state has no list of messages under its key */
export function messagesOf({ state, options }: NodeRun): readonly BaseMessage[] {
  const messages = state[messagesKeyOf(options)];
  if (Array.isArray(messages)) return messages.map(toMessage);
  const hint =
    "name the channel with `messagesKey`, or those of a state without messages with `inputKey` and `outputKey`";
  throw shapeError("this state has no messages", state, hint);
}

/** The user's last text and the evidence, for rails that compare the answer with them. */
export function questionAndEvidenceOf({ state, options }: NodeRun): {
  readonly question: string | undefined;
  readonly evidence: readonly string[] | undefined;
} {
  const messages: unknown = state[messagesKeyOf(options)];
  const list = Array.isArray(messages) ? messages.map(toMessage) : [];
  const last = list.findLast((message) => roleOf(message) === "user");
  const text = options.inputKey === undefined ? undefined : state[options.inputKey];
  return {
    question: last === undefined ? (typeof text === "string" ? text : undefined) : extractText(last),
    evidence: evidenceTexts(state[options.contextKey ?? "context"]),
  };
}

/** The update with a refusal or a bot utterance: a message, or a text in the channel of the answer. */
export function utteranceUpdate(
  run: NodeRun,
  text: string,
  verdict: GuardrailsMetadata,
  calls: readonly DelegatedCall[] = [],
): PlainObject {
  const { outputKey, inputKey } = run.options;
  if (outputKey !== undefined) return { [outputKey]: text };
  if (inputKey !== undefined) return {};
  const message = new AIMessage({
    content: text,
    response_metadata: { guardrails: registerVerdict(verdict) },
    ...(calls.length === 0 ? {} : { tool_calls: [...calls] }),
  });
  return { [messagesKeyOf(run.options)]: [message] };
}

/** The input as the rails left it. */
export function rewrittenUpdate(run: NodeRun, input: UserInput, texts: readonly string[]): PlainObject {
  if (run.options.inputKey !== undefined) return changedEntries(run.state, input.rewrite(texts));
  const updates = messageUpdates(messagesOf(run), rewriteMessages(input, texts));
  return updates.length === 0 ? {} : { [messagesKeyOf(run.options)]: updates };
}

/**
 * Update that removes the blocked user messages and those after them that no rail reviewed.
 *
 * @param from - the first of the pending messages to remove. Default: all
 */
export function hiddenUpdate(run: NodeRun, input: UserInput, from = 0): PlainObject {
  if (run.options.inputKey !== undefined) {
    return changedEntries(run.state, input.rewrite(input.pending.map(() => "")));
  }
  const removes = run.options.blockedMessages === "remove";
  const updates = input.pending.slice(from).flatMap((index) => {
    const message = input.messages[index];
    if (message === undefined) return [];
    const id = idOf(message);
    return removes && roleOf(message) === "user" ? new RemoveMessage({ id }) : hiddenMessage(message);
  });
  return { [messagesKeyOf(run.options)]: updates };
}

/** Two updates as one; lists of messages follow each other. */
export function joinUpdates(run: NodeRun, first: PlainObject, second: PlainObject): PlainObject {
  const key = messagesKeyOf(run.options);
  const both = [first[key], second[key]];
  if (!both.every(Array.isArray)) return { ...first, ...second };
  return { ...first, ...second, [key]: both.flat() };
}

/** Applies `onBlocked`; a text that a function gives is the refusal, anything else the update itself. */
export async function applyNodeBlock(
  run: NodeRun,
  block: Block,
  value: unknown,
  refuse: (refusal: string) => PlainObject,
): Promise<PlainObject> {
  const onBlocked = run.options.onBlocked ?? run.call.host.onBlocked ?? "refuse";
  const replacement: unknown = await applyBlock(block, value, onBlocked, refuse);
  return typeof replacement === "string" ? refuse(replacement) : ((replacement ?? {}) as PlainObject);
}

export function changedEntries(before: PlainObject, after: unknown): PlainObject {
  const entries = Object.entries(after as PlainObject).filter(([key, value]) => before[key] !== value);
  return Object.fromEntries(entries);
}

/** Which rails a node runs; `turn` is a whole guarded turn. */
export type NodeStage = "input" | "output" | "retrieval" | "turn";

/** Names of nodes, or `END`. */
export type Destination = string | readonly string[];

export interface GuardrailsNodeOptions<State extends object = Record<string, unknown>> {
  /** Channel of the messages. Default: `messages`. */
  readonly messagesKey?: string;
  /** The channel of the user's text, for states without messages. */
  readonly inputKey?: string;
  /** The channel of the answer, for states without messages. */
  readonly outputKey?: string;
  /** Channel of the evidence. Default: `context`. */
  readonly contextKey?: string;
  /** Leave the evidence of a blocked answer. Off by default. */
  readonly keepContext?: boolean;
  /** A channel that gets the verdict. */
  readonly verdictKey?: string;
  /** `turn` only: the channel that carries the dialog, so that the graph's checkpointer keeps it. */
  readonly stateKey?: string;
  /**
   * Replacement of a blocked user message in the state: a note, or nothing. Default: a note, since
   * many models want every answer to stand behind a message. Tools' results always become a note: their calls wait for them.
   */
  readonly blockedMessages?: "replace" | "remove";
  /**
   * The node whose work is guarded: it runs inside this one, and its update reaches the state and the streams only as the
   * rails left it. `output` and `turn` also take a model, which gets the messages
   * of the state; `retrieval` takes a node.
   */
  readonly around?: RunnableLike<State, unknown>;
  /** `turn` only: the tools of the graph. Flows of Colang 2.x ask for them by their names. */
  readonly tools?: readonly unknown[];
  /** Go on with a `Command` instead of edges. */
  readonly goto?: { readonly passed?: Destination; readonly blocked?: Destination };
  /** Effect of a block. Default: `refuse`, which writes the refusal. The result of a function is the node's update. */
  readonly onBlocked?: OnBlocked;
}

export const NODE_OPTIONS: OptionTable<GuardrailsNodeOptions> = {
  messagesKey: "text",
  inputKey: "text",
  outputKey: "text",
  contextKey: "text",
  keepContext: "boolean",
  verdictKey: "text",
  stateKey: "text",
  blockedMessages: { oneOf: ["replace", "remove"] },
  around: "any",
  tools: "object",
  goto: "object",
  onBlocked: ON_BLOCKED,
};

export const NODE_STAGES = ["input", "output", "retrieval", "turn"] as const satisfies readonly NodeStage[];

/** A command that writes the update and goes on there. LangGraph is loaded only when one is made. */
export async function makeCommand(update: object, goto: Destination, like?: CommandLike): Promise<object> {
  const { Command } = await loadLangGraph();
  const { graph, resume } = like ?? {};
  const target = typeof goto === "string" ? goto : [...goto];
  const scope = omitUndefined({ graph: typeof graph === "string" ? graph : undefined, resume });
  return new Command({ update: update as Record<string, unknown>, goto: target, ...scope });
}

async function loadLangGraph() {
  try {
    return await import("@langchain/langgraph");
  } catch (cause) {
    throw new GuardrailsError("commands need the package `@langchain/langgraph`, which could not be loaded", {
      code: "RL-101",
      cause,
    });
  }
}
