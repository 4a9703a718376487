import { createRandom, shuffle } from "../../retrieval/matcher/random.js";

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
  const classes = groupBy([...items.keys()], (index) => classOf(items[index] as Item));
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

/** Items by their key, in the order in which the keys first occur. */
export function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
