/** An element of a YAML flow; its first key says what it is. */
export type YamlElement = ReadonlyMap<string, unknown>;

export function readMap(value: unknown): YamlElement | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

/** A value as Colang writes it. */
export function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${literal(one)}`)
    .join(", ")}}`;
}

/** Returns true if a `#` stands outside quotes. */
export function hasComment(text: string): boolean {
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quote !== undefined) {
      if (character === "\\") at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === "#") return true;
    else if (character === '"' || (character === "'" && !/\w/.test(text[at - 1] ?? ""))) quote = character;
  }
  return false;
}
