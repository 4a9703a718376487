import type { ElementTarget } from "../elements.js";

/** The context variables of a conversation. Values are treated as immutable. */
export type Context = Readonly<Record<string, unknown>>;

/** A value or undefined; nothing is ever read from a prototype. */
export function readOwn(map: Context, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Sets an own property, whatever its name: an assignment to `__proto__` would reach the prototype. */
export function writeOwn(map: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true });
  else map[name] = value;
}

export function copyContext(context: Context): Record<string, unknown> {
  return { ...context };
}

/**
 * A copy with these variables set. A variable that is new is not added to a spread: that gives every copy a hidden class of
 * its own, and whatever reads it afterwards is slow.
 */
export function withVariables(context: Context, variables: Context): Record<string, unknown> {
  const names = Object.keys(variables);
  const copy = names.every((name) => Object.hasOwn(context, name)) ? copyContext(context) : copyToGrow(context);
  for (const name of names) writeOwn(copy, name, variables[name]);
  return copy;
}

/** A copy to which variables are going to be added. */
export function copyToGrow(context: Context): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(context)) writeOwn(copy, name, context[name]);
  return copy;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What an assignment changes: the data of a `ContextUpdate`, or why it cannot be (CO-206). */
export type Assignment =
  | { readonly ok: true; readonly name: string; readonly value: unknown }
  | { readonly ok: false; readonly code: "CO-206"; readonly message: string };

/**
 * Works out `$name.path = value` (spec 4.6): a property of an existing map is set in a copy of that map; anything else
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
