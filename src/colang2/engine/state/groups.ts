const NONE: ReadonlySet<never> = new Set();

/** Sets of items by key, in the order in which they were added. A group without items takes no memory. */
export class Groups<Key, Item> {
  readonly #groups = new Map<Key, Set<Item>>();

  add(key: Key, item: Item): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, new Set([item]));
    else group.add(item);
  }

  delete(key: Key, item: Item): void {
    const group = this.#groups.get(key);
    group?.delete(item);
    if (group?.size === 0) this.#groups.delete(key);
  }

  deleteAll(key: Key): void {
    this.#groups.delete(key);
  }

  /** Number of keys with items. */
  get size(): number {
    return this.#groups.size;
  }

  has(key: Key): boolean {
    return this.#groups.has(key);
  }

  get(key: Key): ReadonlySet<Item> {
    return this.#groups.get(key) ?? NONE;
  }

  entries(): Iterable<readonly [Key, ReadonlySet<Item>]> {
    return this.#groups;
  }
}
