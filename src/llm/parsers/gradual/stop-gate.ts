import type { GradualText } from "./gradual-text.js";

/**
 * A text up to the first stop sequence in it. The possible beginning of one is held back.
 *
 * @example
 * ```ts
 * const gate = new StopGate(["User:"]);
 * gate.push("Hi. Us"); // "Hi. "
 * gate.push("ually."); // "Usually."
 * ```
 */
export class StopGate implements GradualText {
  readonly #stop: readonly string[];
  #held = "";
  isOver = false;

  constructor(stop: readonly string[] = []) {
    this.#stop = stop.filter((sequence) => sequence !== "");
  }

  push(fresh: string): string {
    if (this.isOver) return "";
    if (this.#stop.length === 0) return fresh;
    const text = this.#held + fresh;
    const found = this.#firstIn(text);
    const begun = this.#firstBegunIn(text);
    // A longer sequence may begin before a complete one.
    this.isOver = found !== undefined && (begun === undefined || found <= begun);
    const end = this.isOver ? found : begun;
    this.#held = this.isOver || end === undefined ? "" : text.slice(end);
    return end === undefined ? text : text.slice(0, end);
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    const found = this.#firstIn(rest);
    return found === undefined ? rest : rest.slice(0, found);
  }

  #firstIn(text: string): number | undefined {
    let first: number | undefined;
    for (const sequence of this.#stop) {
      const at = text.indexOf(sequence);
      if (at !== -1 && (first === undefined || at < first)) first = at;
    }
    return first;
  }

  /** Returns the place of the first sequence that the end of the text leaves incomplete. */
  #firstBegunIn(text: string): number | undefined {
    const longest = Math.max(...this.#stop.map(({ length }) => length));
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      const begun = text.slice(at);
      if (this.#stop.some((sequence) => sequence.length > begun.length && sequence.startsWith(begun))) return at;
    }
    return undefined;
  }
}
