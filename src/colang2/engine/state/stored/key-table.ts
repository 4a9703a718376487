/** Things by the key they are stored under: their identifier, or a longer one when another thing has the same. */
export class KeyTable<Item extends { readonly uid: string }> {
  readonly #keys = new Map<Item, string>();
  readonly #taken = new Set<string>();

  get size(): number {
    return this.#keys.size;
  }

  /** Gives the key of the thing; adds it when it is not there yet. */
  add(item: Item): string {
    const known = this.#keys.get(item);
    if (known !== undefined) return known;
    let key = item.uid;
    for (let number = 2; this.#taken.has(key); number += 1) key = `${item.uid}~${number}`;
    this.#taken.add(key);
    this.#keys.set(item, key);
    return key;
  }

  /** What was added after so many others, with the keys. */
  after(count: number): readonly (readonly [Item, string])[] {
    return [...this.#keys].slice(count);
  }
}
