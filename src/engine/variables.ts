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

/**
 * A copy with these variables set. A variable that is new is not added to a spread: that gives every copy a hidden class of
 * its own, and whatever reads it afterwards is slow.
 */
export function withVariables(context: Context, variables: Context): Record<string, unknown> {
  const names = Object.keys(variables);
  let copy: Record<string, unknown> | undefined;
  for (const name of names) if (!Object.hasOwn(context, name)) copy ??= copyToGrow(context);
  copy ??= { ...context };
  for (const name of names) writeOwn(copy, name, variables[name]);
  return copy;
}

/** A copy to which variables are going to be added. */
export function copyToGrow(context: Context): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(context)) {
    if (name === "__proto__") writeOwn(copy, name, context[name]);
    else copy[name] = context[name];
  }
  return copy;
}

/** Fields of which those that may be undefined may be absent, and never are undefined. */
type Present<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

/** Returns the fields that are not undefined. */
export function omitUndefined<Fields extends object>(fields: Fields): Present<Fields> {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) present[name] = value;
  return present as Present<Fields>;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
