/**
 * Appends the items of a list that may be long: `push(...items)` fails for more than about 100,000.
 *
 * @example
 * ```ts
 * addAll(diagnostics, parsed.diagnostics);
 * ```
 */
export function addAll<Item>(target: Item[], items: readonly Item[]): void {
  for (const item of items) target.push(item);
}
