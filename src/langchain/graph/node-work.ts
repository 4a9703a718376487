import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { _coerceToRunnable, type Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { askInner } from "../callbacks.js";
import { writeOwn } from "../../engine/plain-data.js";
import { type ChannelWrite, collectWrites } from "../isolation/graph-channels.js";
import { isChatModel } from "../models/model-traits.js";
import { shapeError } from "../shape-error.js";
import { type CommandLike, isCommand } from "../tools/tool-output.js";
import { extractText } from "../values/content.js";
import { copyOf, isMessage, isObject, type PlainObject } from "../values/message-kinds.js";
import { isPlainName } from "../../turn/redact-data.js";
import type { NodeRun } from "./node-state.js";

/** Writes of a guarded node. */
export interface NodeWork {
  /** Undefined if the node writes nothing. */
  readonly update?: PlainObject;
  /** The command of the node, for its direction. */
  readonly command?: CommandLike | undefined;
}

/** Arguments and names that a command sends elsewhere, as a key of the update: no rail would see it otherwise. */
const SENT_KEY = "sent";

export async function runInner(run: NodeRun, state: PlainObject, given: RunnableConfig): Promise<NodeWork> {
  const inner = _coerceToRunnable(run.options.around as never) as Runnable<PlainObject, unknown>;
  const { config, writes } = collectWrites(given);
  const work = openCommand(await askInner(inner, state, config));
  return writes.length === 0 ? work : withWrites(work, writes, run.options.messagesKey);
}

/** The work with what the node wrote to channels before it returned. */
function withWrites(work: NodeWork, writes: readonly ChannelWrite[], messagesKey: string): NodeWork {
  // These are channels of this graph, and not of the graph around it.
  if (work.command?.graph !== undefined) return work;
  const early = new Map<string, unknown>();
  for (const [channel, value] of writes) early.set(channel, join(early.get(channel), value));
  const update = { ...work.update };
  for (const [channel, value] of early) {
    const returned = update[channel];
    if (isOverwrite(returned)) continue;
    const all = join(value, returned);
    writeOwn(update, channel, channel === messagesKey ? withoutEarlier([all].flat()) : all);
  }
  return { ...work, update };
}

function join(early: unknown, later: unknown): unknown {
  if (early === undefined) return later;
  return later === undefined ? early : [early, later].flat();
}

/** Messages without earlier versions of the same message. */
function withoutEarlier(messages: readonly unknown[]): readonly unknown[] {
  const idOf = (message: unknown): unknown => (isMessage(message) ? message.id : undefined);
  return messages.filter((message, index) => {
    const id = idOf(message);
    return id === undefined || messages.findLastIndex((other) => idOf(other) === id) === index;
  });
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

/**
 * All that a node writes, with what its command sends elsewhere, for one review; undefined if it writes nothing.
 *
 * @param empty - channels that the review expects beside what is sent
 */
export function readableWork({ update: given, command }: NodeWork, empty: PlainObject = {}): PlainObject | undefined {
  const update = unwrap(given);
  const sent = sentBy(command);
  return sent.length === 0 ? update : { ...empty, ...update, [sentKey(update)]: sent };
}

/** The work after that review; what a rail took out is not sent. */
export function reviewedWork(
  before: NodeWork,
  given: PlainObject,
  empty: PlainObject = {},
): NodeWork & { readonly update: PlainObject } {
  const { command } = before;
  const sent = sentBy(command);
  if (command === undefined || sent.length === 0) {
    return { ...before, update: rewrap(before.update, withoutEmpty(given, before.update, empty)) };
  }
  const { [sentKey(before.update)]: after, ...update } = withoutEmpty(given, before.update, empty);
  const left = Array.isArray(after) ? [...(after as readonly unknown[])] : [];
  const next = targetsOf(command).flatMap((target) => {
    if (isSend(target)) return left.length === 0 ? [] : [copyOf(target, { args: left.shift() })];
    return !isText(target) || left.shift() === target ? [target] : [];
  });
  const graph = isText(command.graph) && left.shift() !== command.graph ? undefined : command.graph;
  return { update: rewrap(before.update, update), command: copyOf(command, { goto: next, graph }) };
}

/** The update without channels that the node did not write. */
function withoutEmpty(reviewed: PlainObject, written: PlainObject = {}, empty: PlainObject): PlainObject {
  const isEmpty = (key: string, value: unknown): boolean =>
    Object.hasOwn(empty, key) &&
    !Object.hasOwn(written, key) &&
    (value === "" || (Array.isArray(value) && value.length === 0));
  return Object.fromEntries(Object.entries(reviewed).filter(([key, value]) => !isEmpty(key, value)));
}

/** Arguments of other nodes, and names of nodes and graphs that may be texts of a model. */
function sentBy(command: CommandLike | undefined): readonly unknown[] {
  const sent = targetsOf(command).flatMap((target) =>
    isSend(target) ? [target.args] : isText(target) ? [target] : [],
  );
  return isText(command?.graph) ? [...sent, command.graph] : sent;
}

function targetsOf(command: CommandLike | undefined): readonly unknown[] {
  return [command?.goto].flat();
}

function isText(name: unknown): name is string {
  return typeof name === "string" && !isPlainName(name);
}

/** The key of what is sent, which no channel of the update has. */
export function sentKey(update: PlainObject = {}): string {
  let key = SENT_KEY;
  while (Object.hasOwn(update, key)) key += "_";
  return key;
}
