/**
 * The registered spelling of a name written the other way: a trailing `Action` goes and CamelCase becomes snake_case.
 *
 * @example
 * ```ts
 * toSnakeCaseName("CheckStockAction"); // "check_stock"
 * ```
 */
export function toSnakeCaseName(name: string): string {
  const stem = name.length > "Action".length && name.endsWith("Action") ? name.slice(0, -"Action".length) : name;
  return stem
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}

/** Blanks and underscores made one, for the last attempt at finding an action. */
export function foldBlanks(name: string): string {
  return name.trim().replace(/[\s_]+/g, "_");
}
