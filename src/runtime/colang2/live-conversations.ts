import { LRUCache } from "lru-cache";
import type { EngineState } from "../../colang2/engine/state/state.js";
import { isMap } from "../../engine/plain-data.js";
import type { History } from "../../turn/conversation.js";

/** A conversation between two turns of this process, and what was stored of it. */
export interface LiveConversation {
  /** INVARIANT: plain data that nothing changes any more. */
  readonly stored: object;
  readonly state: EngineState;
  readonly history: History;
}

/**
 * Flow instances, activations and actions that live conversations hold together; each takes about 4 KiB. Conversations
 * beyond it are read from their stores.
 */
const MAX_RECORDS = 8_192;

/**
 * Conversations that this process stored last, so that it need not read what it has written itself. INVARIANT: one is used
 * only if the store returns exactly what was stored, and by one turn only.
 */
export class LiveConversations {
  /** By the prefix of their identifiers, which differs between conversations. */
  readonly #conversations = new LRUCache<string, LiveConversation>({
    maxSize: MAX_RECORDS,
    sizeCalculation: ({ state: { data } }) =>
      1 + data.flows.size + data.ended.size + data.activations.size + data.actions.size,
  });

  keep(conversation: LiveConversation): void {
    this.#conversations.set(conversation.state.data.prefix, conversation);
  }

  /** The conversation that was stored as this, to be read only. */
  find(stored: unknown): LiveConversation | undefined {
    const prefix = prefixOf(stored);
    const found = prefix === undefined ? undefined : this.#conversations.get(prefix);
    return found !== undefined && isSame(found.stored, stored) ? found : undefined;
  }

  /**
   * The same, to go on with. It is no longer kept: a turn that fails goes back to what is stored, and one that another
   * process has gone on with is out of date.
   */
  take(stored: unknown): LiveConversation | undefined {
    const found = this.find(stored);
    const prefix = prefixOf(stored);
    if (prefix !== undefined) this.#conversations.delete(prefix);
    return found;
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
    // An object of a store may run code of its own when it is read.
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

/** Makes plain data of bounded depth unchangeable; parts that are so already are left. */
export function freezeData<Data>(data: Data): Data {
  if (typeof data !== "object" || data === null || Object.isFrozen(data)) return data;
  Object.freeze(data);
  if (Array.isArray(data)) for (const item of data) freezeData(item);
  // INVARIANT: the prototypes of plain data hold nothing that a loop over names finds.
  else for (const name in data) freezeData(data[name]);
  return data;
}
