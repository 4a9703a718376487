import type { Random } from "../../retrieval/matcher/random.js";

/** Returns a whole number from 0 up to, but not including, the limit. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

/** Returns one of the items, which must not be empty. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[below(random, items.length)] as Item;
}
