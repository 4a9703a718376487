import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { _coerceToRunnable, type Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { askInner } from "../callbacks.js";
import { isChatModel } from "../models/model-traits.js";
import { shapeError } from "../shape-error.js";
import { type CommandLike, isCommand } from "../tools/tool-output.js";
import { extractText } from "../values/content.js";
import { copyOf, isObject, type PlainObject } from "../values/message-kinds.js";
import type { NodeRun } from "./node-state.js";

/** Writes of a guarded node. */
export interface NodeWork {
  /** Undefined if the node writes nothing. */
  readonly update?: PlainObject;
  /** The command of the node, for its direction. */
  readonly command?: CommandLike | undefined;
}

/** Arguments that a command sends to other nodes, as a key of the update: no rail would see them otherwise. */
const SENT_KEY = "sent";

export async function runInner(run: NodeRun, state: PlainObject, config: RunnableConfig): Promise<NodeWork> {
  const inner = _coerceToRunnable(run.options.around as never) as Runnable<PlainObject, unknown>;
  return openCommand(await askInner(inner, state, config));
}

/** The update of a node that only asks a model. */
export async function askModel(
  run: NodeRun,
  model: Runnable,
  messages: readonly BaseMessage[],
  config: RunnableConfig = run.call.config,
): Promise<PlainObject> {
  const { outputKey, messagesKey } = run.options;
  const output: unknown = await askInner(model, [...messages], config);
  if (outputKey === undefined) return { [messagesKey]: [isChatModel(model) ? output : new AIMessage(String(output))] };
  return { [outputKey]: typeof output === "string" ? output : extractText(output as BaseMessage) };
}

/** The update of a node, also inside a command. */
function openCommand(result: unknown): NodeWork {
  if (isCommand(result)) return { ...openCommand(result.update), command: result };
  if (result === undefined || result === null) return {};
  if (!isObject(result)) {
    throw shapeError("expected a node update", result, "return an object of channels, or a `Command`");
  }
  return { update: result };
}

interface SendLike extends PlainObject {
  readonly lg_name: "Send";
  readonly args: unknown;
}

function isSend(value: unknown): value is SendLike {
  return isObject(value) && value["lg_name"] === "Send";
}

/** The key of a value that replaces the one of a channel: in LangGraph's class for it, and in its plain form. */
const OVERWRITE_KEY = "__overwrite__";

function isOverwrite(value: unknown): value is PlainObject {
  return isObject(value) && Object.hasOwn(value, OVERWRITE_KEY);
}

/** The values of an update, without LangGraph's wrappers. */
function unwrap(update: PlainObject | undefined): PlainObject | undefined {
  if (update === undefined || !Object.values(update).some(isOverwrite)) return update;
  const values = Object.entries(update).map(([key, held]) => [key, isOverwrite(held) ? held[OVERWRITE_KEY] : held]);
  return Object.fromEntries(values) as PlainObject;
}

function rewrap(before: PlainObject = {}, update: PlainObject): PlainObject {
  const wrappers = Object.entries(update).flatMap(([key, value]) => {
    const wrapper = before[key];
    return isOverwrite(wrapper) ? [[key, copyOf(wrapper, { [OVERWRITE_KEY]: value })] as const] : [];
  });
  return wrappers.length === 0 ? update : { ...update, ...Object.fromEntries(wrappers) };
}

/** All that a node writes, with what its command sends to other nodes, for one review. */
export function readableWork(run: NodeRun, { update: given, command }: NodeWork): PlainObject | undefined {
  const update = unwrap(given);
  const sent = [command?.goto].flat().filter(isSend);
  if (sent.length === 0) return update;
  const { outputKey, messagesKey } = run.options;
  const empty = outputKey === undefined ? { [messagesKey]: [] } : { [outputKey]: "" };
  return { ...empty, ...update, [sentKey(update)]: sent.map(({ args }) => args) };
}

/** The work after that review; what a rail took out is not sent. */
export function reviewedWork(before: NodeWork, reviewed: PlainObject): NodeWork & { readonly update: PlainObject } {
  const { command } = before;
  const goto = [command?.goto].flat();
  if (command === undefined || !goto.some(isSend)) return { ...before, update: rewrap(before.update, reviewed) };
  const { [sentKey(before.update)]: sent, ...update } = reviewed;
  const left = Array.isArray(sent) ? [...(sent as readonly unknown[])] : [];
  const next = goto.flatMap((target) => {
    if (!isSend(target)) return [target];
    return left.length === 0 ? [] : [copyOf(target, { args: left.shift() })];
  });
  return { update: rewrap(before.update, update), command: copyOf(command, { goto: next }) };
}

function sentKey(update: PlainObject = {}): string {
  let key = SENT_KEY;
  while (Object.hasOwn(update, key)) key += "_";
  return key;
}
