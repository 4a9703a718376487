import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { _coerceToRunnable, type Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { askInner } from "../callbacks.js";
import { writeOwn } from "../../engine/plain-data.js";
import { type ChannelWrite, collectWrites } from "../isolation/graph-channels.js";
import { isChatModel } from "../models/model-traits.js";
import { shapeError } from "../shape-error.js";
import { assignParts, type CommandLike, isCommand } from "../tools/tool-output.js";
import { extractText } from "../values/content.js";
import { copyOf, isMessage, isObject, type PlainObject } from "../values/message-kinds.js";
import { isPlainName } from "../../turn/redact-data.js";
import type { NodeRun, NodeWork } from "./node-state.js";

/** Arguments and names that a command sends elsewhere, as a key of the update: no rail would see it otherwise. */
const SENT_KEY = "sent";

export async function runInner(run: NodeRun, state: PlainObject, given: RunnableConfig): Promise<NodeWork> {
  const inner = _coerceToRunnable(run.options.around as never) as Runnable<PlainObject, unknown>;
  const { config, writes } = collectWrites(given);
  const work = openResult(await askInner(inner, state, config), run.options.messagesKey);
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

/**
 * The work of a node that returns an update, a command, or a list of both. INVARIANT: rails on a response and its calls read the
 * messages of a whole list.
 */
function openResult(result: unknown, messagesKey: string): NodeWork {
  if (!Array.isArray(result) || !result.some(isCommand)) return openCommand(result);
  const [first = {}, ...rest] = result.map(openCommand);
  // A command may belong to the graph around, which has channels of its own.
  const isJoined = ({ update, command }: NodeWork): boolean =>
    command?.graph === first.command?.graph && update?.[messagesKey] !== undefined && !isOverwrite(update[messagesKey]);
  const joined = [first, ...rest].filter(isJoined);
  if (joined.length === 0 || isOverwrite(first.update?.[messagesKey])) return { ...first, others: rest };
  const messages = joined.flatMap(({ update }) => [update?.[messagesKey]].flat());
  const others = rest.map((work) => {
    const { [messagesKey]: _messages, ...update } = work.update ?? {};
    return joined.includes(work) ? { ...work, update } : work;
  });
  return { ...first, update: { ...first.update, [messagesKey]: messages }, others };
}

/** Returns a part of a list as the node returned it: an update, or a command with it. */
export function closeWork({ update = {}, command }: NodeWork): object {
  if (command === undefined) return update;
  const { goto, graph } = command;
  return assignParts(copyOf(command, {}), { update, goto, graph });
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
export function readableWork(work: NodeWork, empty: PlainObject = {}): PlainObject | undefined {
  const update = unwrap(work.update);
  const sent = sentBy(work);
  return sent.length === 0 ? update : { ...empty, ...update, [sentKey(update)]: sent };
}

/** The work after that review; what a rail took out is not sent. */
export function reviewedWork(
  before: NodeWork,
  given: PlainObject,
  empty: PlainObject = {},
): NodeWork & { readonly update: PlainObject } {
  if (sentBy(before).length === 0) {
    return { ...before, update: rewrap(before.update, withoutEmpty(given, before.update, empty)) };
  }
  const { [sentKey(before.update)]: after, ...update } = withoutEmpty(given, before.update, empty);
  const left = Array.isArray(after) ? [...(after as readonly unknown[])] : [];
  const command = withLeft(before.command, left);
  const others = before.others?.flatMap((work): readonly NodeWork[] => {
    if (left.length === 0) return [];
    const reviewed = rewrap(work.update, left.shift() as PlainObject);
    return [{ update: reviewed, command: withLeft(work.command, left) }];
  });
  return { update: rewrap(before.update, update), command, others };
}

/** The command with what is left of the texts that it sends, which are taken from the list. */
function withLeft(command: CommandLike | undefined, left: unknown[]): CommandLike | undefined {
  if (command === undefined || sentByCommand(command).length === 0) return command;
  const next = targetsOf(command).flatMap((target) => {
    if (isSend(target)) return left.length === 0 ? [] : [copyOf(target, { args: left.shift() })];
    return !isText(target) || left.shift() === target ? [target] : [];
  });
  const graph = isText(command.graph) && left.shift() !== command.graph ? undefined : command.graph;
  return copyOf(command, { goto: next, graph });
}

/** The update without channels that the node did not write. */
function withoutEmpty(reviewed: PlainObject, written: PlainObject = {}, empty: PlainObject): PlainObject {
  const isEmpty = (key: string, value: unknown): boolean =>
    Object.hasOwn(empty, key) &&
    !Object.hasOwn(written, key) &&
    (value === "" || (Array.isArray(value) && value.length === 0));
  return Object.fromEntries(Object.entries(reviewed).filter(([key, value]) => !isEmpty(key, value)));
}

/** All that a work has beside its update. */
function sentBy({ command, others = [] }: NodeWork): readonly unknown[] {
  const beside = others.flatMap((work) => [unwrap(work.update) ?? {}, ...sentByCommand(work.command)]);
  return [...sentByCommand(command), ...beside];
}

/** Arguments of other nodes, and names of nodes and graphs that may be texts of a model. */
function sentByCommand(command: CommandLike | undefined): readonly unknown[] {
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
