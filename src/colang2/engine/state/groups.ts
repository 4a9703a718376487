const NONE: ReadonlySet<never> = new Set();

/**
 * Sets of items by key, in insertion order. An empty group takes no memory, and a group of one item, the most common
 * case, no set.
 */
export class Groups<Key, Item extends object> {
  #groups: Map<Key, Item | Set<Item>> | undefined;

  add(key: Key, item: Item): void {
    const groups = (this.#groups ??= new Map());
    const group = groups.get(key);
    if (group === undefined) groups.set(key, item);
    else if (group instanceof Set) group.add(item);
    else if (group !== item) groups.set(key, new Set([group, item]));
  }

  delete(key: Key, item: Item): void {
    const group = this.#groups?.get(key);
    if (group === undefined) return;
    if (group === item) this.#groups?.delete(key);
    else if (group instanceof Set && group.delete(item) && group.size === 0) this.#groups?.delete(key);
  }

  deleteAll(key: Key): void {
    this.#groups?.delete(key);
  }

  has(key: Key): boolean {
    return this.#groups?.has(key) ?? false;
  }

  /** The items of a group. */
  get(key: Key): ReadonlySet<Item> {
    const group = this.#groups?.get(key);
    if (group === undefined) return NONE;
    return group instanceof Set ? group : new Set([group]);
  }

  /** Iterates over a group; unlike `get`, creates no set for one item. */
  of(key: Key): Iterable<Item> {
    const group = this.#groups?.get(key);
    if (group === undefined) return NONE;
    return group instanceof Set ? group : [group];
  }

  /** The first item of a group. */
  first(key: Key): Item | undefined {
    const group = this.#groups?.get(key);
    if (!(group instanceof Set)) return group;
    for (const item of group) return item;
    return undefined;
  }

  /** Appends the items of a group to a list, created on first use. */
  addTo(list: Item[] | undefined, key: Key): Item[] | undefined {
    const group = this.#groups?.get(key);
    if (group === undefined) return list;
    if (list === undefined) return group instanceof Set ? [...group] : [group];
    if (group instanceof Set) for (const item of group) list.push(item);
    else list.push(group);
    return list;
  }

  get isEmpty(): boolean {
    return this.#groups === undefined || this.#groups.size === 0;
  }

  entries(): (readonly [Key, ReadonlySet<Item>])[] {
    return [...(this.#groups?.keys() ?? [])].map((key) => [key, this.get(key)] as const);
  }
}
