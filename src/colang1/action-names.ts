import { toSnakeCaseName } from "../engine/action-name.js";
import type { ActionCatalog } from "./compile-input.js";

/** The action that a name in a flow stands for. `loose` means that only blanks or underscores differ. */
export interface ActionMatch {
  readonly name: string;
  readonly loose: boolean;
}

/**
 * Finds an action by its name as written: exactly, else with a trailing `Action` dropped and CamelCase turned into
 * snake_case, else with blanks for underscores or the other way round.
 *
 * @example
 * ```ts
 * resolveActionName("CheckStockAction", catalog); // { name: "check_stock", loose: false }
 * ```
 */
export function resolveActionName(written: string, catalog: Pick<ActionCatalog, "has">): ActionMatch | undefined {
  if (catalog.has(written)) return { name: written, loose: false };
  const snake = toSnakeCaseName(written);
  if (catalog.has(snake)) return { name: snake, loose: false };
  const loose = [written.replaceAll(" ", "_"), written.replaceAll("_", " ")].filter((name) => catalog.has(name));
  return loose.length === 1 && loose[0] !== undefined ? { name: loose[0], loose: true } : undefined;
}
