import { type Context, isMap, readOwn, writeOwn } from "../../engine/variables.js";
import type { ElementTarget } from "../elements.js";

/** The variable that an assignment changes, or the reason why it cannot be made (CO-206). */
export type Assignment =
  | { readonly ok: true; readonly name: string; readonly value: unknown }
  | { readonly ok: false; readonly code: "CO-206"; readonly message: string };

/**
 * Resolves `$name.path = value`: a property of an existing map is set in a copy of that map; anything else
 * that is not a plain variable is refused.
 *
 * @example
 * ```ts
 * assignTo({ order: { qty: 1 } }, { name: "order", path: ["qty"] }, 2);
 * // { ok: true, name: "order", value: { qty: 2 } }
 * ```
 */
export function assignTo(context: Context, target: ElementTarget, value: unknown): Assignment {
  if (target.path.length === 0) return { ok: true, name: target.name, value };
  const changed = withProperty(readOwn(context, target.name), target.path, 0, value);
  if (changed !== undefined) return { ok: true, name: target.name, value: changed };
  const name = [target.name, ...target.path].join(".");
  return { ok: false, code: "CO-206", message: `cannot set \`$${name}\`: there is no map to set a property of` };
}

function withProperty(
  map: unknown,
  path: readonly string[],
  depth: number,
  value: unknown,
): Record<string, unknown> | undefined {
  const key = path[depth];
  if (!isMap(map) || key === undefined) return undefined;
  const last = depth === path.length - 1;
  const inner = last ? value : withProperty(readOwn(map, key), path, depth + 1, value);
  if (inner === undefined && !last) return undefined;
  const copy = { ...map };
  writeOwn(copy, key, inner);
  return copy;
}

/**
 * The same for a result key of a `StartInternalSystemAction`, such as `order.qty`.
 *
 * @example
 * ```ts
 * const stored = assignResult(contextOf(state), "sum", 5);
 * if (stored.ok) feed({ type: "ContextUpdate", data: { [stored.name]: stored.value } });
 * ```
 */
export function assignResult(context: Context, resultKey: string, value: unknown): Assignment {
  const [name = "", ...path] = resultKey.split(".");
  return assignTo(context, { name, path }, value);
}
