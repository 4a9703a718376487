const MAX_KEYS = 5;

/**
 * Describes a value for error messages by keys and classes, never by contents.
 *
 * @example
 * ```ts
 * describeValue({ invok: 1 }); // "an object with the keys `invok`"
 * ```
 */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return value.name === "" ? "a function" : `the function \`${value.name}\``;
  if (typeof value !== "object") return `a ${typeof value}`;
  const className = classNameOf(value);
  if (className !== undefined) return `an instance of \`${className}\``;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an object without keys";
  const shown = keys.slice(0, MAX_KEYS).map((key) => `\`${key}\``);
  return `an object with the keys ${shown.join(", ")}${keys.length > MAX_KEYS ? ", …" : ""}`;
}

function classNameOf(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const maker: unknown = (prototype as { constructor?: unknown }).constructor;
  return typeof maker === "function" && maker.name !== "" ? maker.name : undefined;
}
