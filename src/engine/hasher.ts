/** Positions of expressions do not affect their meaning. */
const PLACES_OF_EXPRESSIONS: ReadonlySet<string> = new Set(["start", "end"]);

/**
 * A cheap, deterministic hash of plain data: two lanes of 32 bits in the manner of FNV-1a. It distinguishes versions of a flow
 * apart; it does not resist anyone who wants a collision.
 */
class Hasher {
  #low = 0x811c9dc5;
  #high = 0x9747b28c;

  addText(text: string): void {
    let low = this.#low;
    let high = this.#high;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x85ebca6b);
      high ^= high >>> 13;
    }
    // The length distinguishes "ab", "c" from "a", "bc".
    this.#low = Math.imul(low ^ text.length, 0x01000193);
    this.#high = Math.imul(high ^ text.length, 0x85ebca6b);
  }

  /** Adds plain data without the given keys, and nested data without the positions of expressions. */
  addValue(value: unknown, without: ReadonlySet<string> = PLACES_OF_EXPRESSIONS): void {
    if (Array.isArray(value)) {
      this.addText("[");
      for (const item of value) this.addValue(item);
      this.addText("]");
    } else if (typeof value === "object" && value !== null) {
      this.addText("{");
      // Plain data has nothing to inherit, and unlike `Object.keys` this allocates nothing.
      for (const key in value) {
        if (without.has(key) || !Object.hasOwn(value, key)) continue;
        this.addText(key);
        this.addValue((value as Readonly<Record<string, unknown>>)[key]);
      }
      this.addText("}");
    } else {
      this.addText(typeof value);
      this.addText(String(value));
    }
  }

  toString(): string {
    return [this.#low, this.#high].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

/**
 * Returns the hash of a compiled flow, independent of its position in the file.
 *
 * @param places - fields of a flow and its elements that only hold positions
 */
export function hashFlow(
  flow: { readonly elements: readonly object[] },
  places: { readonly flow: ReadonlySet<string>; readonly element: ReadonlySet<string> },
): string {
  const hasher = new Hasher();
  hasher.addValue(flow, places.flow);
  for (const element of flow.elements) hasher.addValue(element, places.element);
  return hasher.toString();
}

/** Returns the hash of a program: of its flows in order, and of further values. */
export function hashProgram(flows: readonly { readonly hash: string }[], ...values: readonly unknown[]): string {
  const hasher = new Hasher();
  for (const flow of flows) hasher.addText(flow.hash);
  for (const value of values) hasher.addValue(value);
  return hasher.toString();
}
