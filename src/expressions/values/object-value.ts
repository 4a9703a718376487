import type { Value } from "./value.js";

/** Counts items that are copied. */
export interface ItemCounter {
  chargeEntries(count: number): void;
}

/**
 * A value that is no plain data: a reference to a flow, an action or an event, a pattern, a comparison, a specification.
 * It is always true, has no length, and can be asked for nothing but its members.
 *
 * @example
 * ```ts
 * class Distance extends ObjectValue {
 *   readonly typeName = "Distance";
 *   constructor(readonly metres: number) { super(); }
 *   member(name: string) { return name === "metres" ? this.metres : undefined; }
 *   equals(other: Value) { return other instanceof Distance && other.metres === this.metres; }
 *   toText() { return `<Distance ${this.metres}>`; }
 * }
 * ```
 */
export abstract class ObjectValue {
  /** What `type` gives. */
  abstract readonly typeName: string;

  /** The value of a member; undefined if there is none. Items that are copied for it are counted. INVARIANT: names come from programs; never look them up in `this`. */
  abstract member(name: string, counter?: ItemCounter): Value | undefined;

  /** Whether `==` holds. */
  abstract equals(other: Value): boolean;

  /** What `str` gives; it need not be readable as a program. */
  abstract toText(): string;
}
