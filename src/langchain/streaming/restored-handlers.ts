import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManager, Callbacks } from "@langchain/core/callbacks/manager";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { PseudonymTable, RestoringPieces } from "../../actions/pseudonym-table.js";
import { Pseudonymised } from "../call.js";
import { quietHandler } from "../callbacks.js";
import { type GuardedModelCallOptions, PSEUDONYMS } from "../models/guarded-model-fields.js";
import { extractText } from "../values/content.js";
import { isMessage, isObject, type PlainObject } from "../values/message-kinds.js";
import { restoreValue } from "../values/restore.js";
import { verdictOf } from "../verdict.js";
import { ChunkRestorer, restoreStream } from "./restored-stream.js";

/** Returns the pseudonyms of a call; undefined before rails have created any. */
type TableOf = () => PseudonymTable | undefined;

/** Options of a call of a guarded model whose streams restore the pseudonyms of the call. */
export function restoringOptions(options: CallOptions, pseudonyms: Pseudonymised): NonNullable<CallOptions> {
  const { callbacks: given } = ensureConfig(options as RunnableConfig);
  const callbacks = restoringCallbacks(given, () => pseudonyms.table);
  return { ...options, ...(callbacks && { callbacks }), [PSEUDONYMS]: pseudonyms };
}

type CallOptions = Partial<GuardedModelCallOptions> | undefined;

/** Restores the pseudonyms of a call in the chunks of its stream. */
export async function* streamRestored<Chunk>(
  options: CallOptions,
  open: (options: NonNullable<CallOptions>) => AsyncIterable<Chunk>,
): AsyncGenerator<Chunk> {
  const pseudonyms = new Pseudonymised();
  yield* restoreStream(open(restoringOptions(options, pseudonyms)), () => pseudonyms.table);
}

/** Callbacks whose handlers that only feed streams receive the values, because users read those; all others observe pseudonyms. */
function restoringCallbacks(callbacks: Callbacks | undefined, tableOf: TableOf): Callbacks | undefined {
  if (callbacks === undefined) return undefined;
  if (Array.isArray(callbacks)) return restoringHandlers(callbacks as BaseCallbackHandler[], tableOf);
  const manager = (callbacks as CallbackManager).copy();
  manager.handlers = restoringHandlers(manager.handlers, tableOf);
  manager.inheritableHandlers = restoringHandlers(manager.inheritableHandlers, tableOf);
  return manager;
}

/** Returns the handlers; those that serve streams receive restored texts, and all others keep the pseudonyms. */
export function restoringHandlers(handlers: readonly BaseCallbackHandler[], tableOf: TableOf): BaseCallbackHandler[] {
  return handlers.map((handler) =>
    quietHandler(handler) === undefined ? restoringHandler(handler, tableOf) : handler,
  );
}

type Method = (...args: unknown[]) => unknown;

/** Restorers of a model run, by the form in which it is observed. */
interface RestoredRun {
  readonly chunks: ChunkRestorer;
  readonly events: EventRestorer;
  last: readonly unknown[];
}

function restoringHandler(handler: BaseCallbackHandler, tableOf: TableOf): BaseCallbackHandler {
  const methods = handler as unknown as PlainObject;
  const call = (name: string, args: readonly unknown[]): unknown =>
    typeof methods[name] === "function" ? (methods[name] as Method).apply(handler, [...args]) : undefined;
  const runs = new Map<unknown, RestoredRun>();
  const runOf = (id: unknown, last: readonly unknown[]): RestoredRun | undefined => {
    const table = tableOf();
    if (table === undefined) return undefined;
    const run = runs.get(id) ?? { chunks: new ChunkRestorer(table), events: new EventRestorer(table), last };
    runs.set(id, run);
    return run;
  };
  const send = (message: unknown, [, ...rest]: readonly unknown[]): unknown => {
    const text = isMessage(message) ? extractText(message) : "";
    const args = [text, ...rest];
    args[5] = { chunk: new ChatGenerationChunk({ text, message: message as never }) };
    return call("handleLLMNewToken", args);
  };
  const onToken: Method = (...args) => {
    const { message } = ((args[5] as PlainObject | undefined)?.["chunk"] ?? {}) as { readonly message?: unknown };
    const run = isMessage(message) ? runOf(args[2], args) : undefined;
    if (!isMessage(message) || run === undefined) return call("handleLLMNewToken", args);
    run.last = args;
    return send(run.chunks.take(message, verdictOf(message) !== undefined), args);
  };
  const onEvent: Method = async (...[event, ...rest]) => {
    const restored = runOf(rest[0], [])?.events.take(event as ChatModelStreamEvent) ?? [event];
    for (const part of restored) await call("handleChatModelStreamEvent", [part, ...rest]);
  };
  const onEnd: Method = async (...args) => {
    const run = runs.get(args[1]);
    runs.delete(args[1]);
    if (run !== undefined && run.last.length > 0) for (const rest of run.chunks.rest()) await send(rest, run.last);
    const output = args[0] as { readonly generations: readonly (readonly { readonly message?: unknown }[])[] };
    const generations = output.generations.map((alternatives) =>
      alternatives.map((generation) =>
        isObject(generation) ? { ...generation, message: restoreValue(generation.message, tableOf()) } : generation,
      ),
    );
    return call("handleLLMEnd", [{ ...output, generations }, ...args.slice(1)]);
  };
  const overridden: Readonly<Record<string, Method>> = {
    handleLLMNewToken: onToken,
    handleChatModelStreamEvent: onEvent,
    handleLLMEnd: onEnd,
  };
  return new Proxy(handler, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof key === "string" && Object.hasOwn(overridden, key))
        return value === undefined ? undefined : overridden[key];
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Pseudonyms in the events of a model run, also those split across events. */
class EventRestorer {
  readonly #table: PseudonymTable;
  readonly #open = new Map<number, { readonly pieces: RestoringPieces; readonly write: (text: string) => object }>();

  constructor(table: PseudonymTable) {
    this.#table = table;
  }

  *take(event: ChatModelStreamEvent): Generator<object> {
    if (event.event === "content-block-delta") {
      const { delta, index } = event;
      const field = delta.type === "text-delta" ? "text" : delta.type === "reasoning-delta" ? "reasoning" : undefined;
      if (field !== undefined) {
        const write = (text: string): object => ({ ...event, delta: { ...delta, [field]: text } });
        const pieces = this.#open.get(index)?.pieces ?? this.#table.restoreStream();
        this.#open.set(index, { pieces, write });
        return yield write(pieces.push(String(Reflect.get(delta, field))));
      }
    }
    if (event.event === "content-block-finish") {
      const open = this.#open.get(event.index);
      const rest = open?.pieces.finish() ?? "";
      if (open !== undefined && rest !== "") yield open.write(rest);
    }
    yield event.event === "message-finish" ? event : restoreValue(event, this.#table);
  }
}
