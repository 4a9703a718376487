/** Limits of a flow name. */
const MAX_LENGTH = 120;
const MAX_WORDS = 16;

/** Words that end a flow name in calls; inside a name they get an underscore on each side. */
const SEPARATE: ReadonlySet<string> = new Set(["and", "or", "as", "not"]);

/**
 * Converts a text to a flow name: invalid characters such as parentheses and quotes are dropped, hyphens become
 * underscores, and group keywords and numbers get an underscore on each side.
 *
 * @returns undefined if nothing remains, or far too much
 *
 * @example
 * ```ts
 * flowNameOf('user asked "rock-paper" or 2 (more)'); // "user asked rock_paper _or_ _2_ more"
 * ```
 */
export function flowNameOf(text: string): string | undefined {
  const words = text
    .replace(/[-\u2010-\u2015]/g, "_")
    .replace(/[^\p{L}\p{Nl}\p{M}\p{N}\p{Pc}\s]/gu, "")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => (SEPARATE.has(word) || !/^[\p{L}\p{Nl}_]/u.test(word) ? `_${word}_` : word));
  const name = words.join(" ");
  return name === "" || /^[_ ]+$/.test(name) || name.length > MAX_LENGTH || words.length > MAX_WORDS ? undefined : name;
}

const GENERATED = /^_dynamic_[0-9a-zA-Z]{8} /;

/** The name without the suffix that makes a generated flow unique. */
export function plainName(id: string): string {
  return id.replace(GENERATED, "");
}

/**
 * A unique name in the conversation, for a generated flow.
 *
 * @param id - an identifier of the conversation
 */
export function dynamicName(id: string, name: string): string {
  return `_dynamic_${shortId(id, 8)} ${plainName(name)}`;
}

/** The last `length` letters and digits of an identifier. */
export function shortId(id: string, length: number): string {
  const own = id.slice(id.lastIndexOf("-") + 1).replace(/[^0-9a-zA-Z]/g, "");
  return own.slice(-length).padStart(length, "0");
}
