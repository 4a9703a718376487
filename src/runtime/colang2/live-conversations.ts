import { LRUCache } from "lru-cache";
import type { EngineState } from "../../colang2/engine/state/state.js";
import { isMap } from "../../engine/plain-data.js";
import type { History } from "../../turn/conversation.js";

/** A conversation between two turns of this process, and its stored form. */
export interface LiveConversation {
  /** INVARIANT: frozen plain data. */
  readonly stored: object;
  readonly state: EngineState;
  readonly history: History;
}

/**
 * Maximum total of flow instances, activations and actions in live conversations, about 4 KiB each. Further
 * conversations are read from their stores.
 */
const MAX_RECORDS = 8_192;

/**
 * Conversations that this process stored last, to avoid re-reading its own output. INVARIANT: each is used by one turn
 * only, and only if the store returns exactly what was stored.
 */
export class LiveConversations {
  /** Keyed by the prefix of their identifiers, which is unique per conversation. */
  readonly #conversations = new LRUCache<string, LiveConversation>({
    maxSize: MAX_RECORDS,
    sizeCalculation: ({ state: { data } }) =>
      1 + data.flows.size + data.ended.size + data.activations.size + data.actions.size,
  });

  keep(conversation: LiveConversation): void {
    this.#conversations.set(conversation.state.data.prefix, conversation);
  }

  /** Returns the conversation with this stored form, read-only. */
  find(stored: unknown): LiveConversation | undefined {
    const prefix = prefixOf(stored);
    const live = prefix === undefined ? undefined : this.#conversations.get(prefix);
    return live !== undefined && isSame(live.stored, stored) ? live : undefined;
  }

  /**
   * Removes and returns it to continue with: a failed turn falls back to the stored form, and a version continued by
   * another process is outdated.
   */
  take(stored: unknown): LiveConversation | undefined {
    const live = this.find(stored);
    const prefix = prefixOf(stored);
    if (prefix !== undefined) this.#conversations.delete(prefix);
    return live;
  }
}

function prefixOf(stored: unknown): string | undefined {
  const engine = isMap(stored) ? stored["engine"] : undefined;
  const prefix = isMap(engine) ? engine["prefix"] : undefined;
  return typeof prefix === "string" ? prefix : undefined;
}

function isSame(own: object, stored: unknown): boolean {
  try {
    return isEqual(own, stored);
  } catch {
    // Reading an object of a store may run its own code.
    return false;
  }
}

/** @param own - plain data of bounded depth */
function isEqual(own: unknown, other: unknown): boolean {
  if (own === other) return true;
  if (typeof own !== "object" || typeof other !== "object" || own === null || other === null) return false;
  if (Array.isArray(own)) {
    if (!Array.isArray(other) || own.length !== other.length) return false;
    for (let at = 0; at < own.length; at += 1) if (!isEqual(own[at], other[at])) return false;
    return true;
  }
  if (Array.isArray(other)) return false;
  const keys = Object.keys(own);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key)) return false;
    if (!isEqual((own as Record<string, unknown>)[key], (other as Record<string, unknown>)[key])) return false;
  }
  return true;
}

/** Freezes plain data of bounded depth; frozen parts are skipped. */
export function freezeData<Data>(data: Data): Data {
  if (typeof data !== "object" || data === null || Object.isFrozen(data)) return data;
  Object.freeze(data);
  if (Array.isArray(data)) for (const item of data) freezeData(item);
  // INVARIANT: prototypes of plain data have no enumerable properties.
  else for (const name in data) freezeData(data[name]);
  return data;
}
