import { LRUCache } from "lru-cache";

const MAX_REFUSALS = 500;

/**
 * Refusals of input rails that a runtime has emitted. Applications send conversations again as plain texts, and the user
 * message before a refusal was blocked. Holds texts of the configuration only, and a bounded number of them.
 */
export class Refusals {
  readonly #texts = new LRUCache<string, true>({ max: MAX_REFUSALS });

  add(text: string): void {
    const known = text.trim();
    if (known !== "") this.#texts.set(known, true);
  }

  has(text: string): boolean {
    return this.#texts.has(text.trim());
  }
}
