import { createRandom, shuffle } from "../metrics/estimate.js";

/**
 * So many of the items, drawn by seed, the classes taking turns so that all are met; in their old order.
 *
 * @example
 * ```ts
 * takeSample(rows, 50, { seed: 42, classOf: ({ label }) => label }); // 25 harmful, 25 helpful
 * ```
 */
export function takeSample<Item>(
  items: readonly Item[],
  limit: number | undefined,
  { seed, classOf = () => "" }: { readonly seed: number; readonly classOf?: (item: Item) => string },
): readonly Item[] {
  if (limit === undefined || limit >= items.length) return items;
  const random = createRandom(seed);
  const classes = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const name = classOf(item);
    const known = classes.get(name);
    if (known === undefined) classes.set(name, [index]);
    else known.push(index);
  }
  const queues = [...classes.values()].map((indexes) => shuffle(indexes, random));
  const taken: number[] = [];
  for (let round = 0; taken.length < limit; round += 1) {
    for (const queue of queues) {
      const index = queue[round];
      if (index !== undefined && taken.length < limit) taken.push(index);
    }
  }
  return taken.sort((a, b) => a - b).map((index) => items[index] as Item);
}
