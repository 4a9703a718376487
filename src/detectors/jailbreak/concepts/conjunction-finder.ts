import { CONJUNCTIONS, type Conjunction } from "./conjunctions.js";

/** Called with the kind of evidence that a conjunction is, and its range in the text. */
export type ConjunctionVisitor = (kind: string, start: number, end: number) => void;

/** Distance that no text has. */
const NEVER = -1e9;
/** Characters before a conjunction in which a concept makes something else of it. */
const BEFORE = 30;

/** Place of a concept in a conjunction, by numbers. */
interface Rule {
  readonly kind: string;
  /** Number of the concept that the conjunction forms, or -1. */
  readonly forms: number;
  /** Concepts beside the one that completes the conjunction. */
  readonly others: readonly number[];
  readonly within: number;
  readonly unless: readonly number[];
}

/**
 * Finds concepts near one another. It keeps the last place of each concept; a concept that is seen again completes the
 * conjunctions whose other concepts are near, which may form concepts in turn.
 *
 * INVARIANT: the work for a concept is bounded by the conjunctions, since concepts that others form are not made of one another.
 */
export class ConjunctionFinder {
  readonly #numbers = new Map<string, number>();
  readonly #rules: Rule[][] = [];
  readonly #starts: Int32Array;

  constructor(conjunctions: readonly Conjunction[] = CONJUNCTIONS) {
    const numberOf = (name: string): number => {
      let number = this.#numbers.get(name);
      if (number === undefined) {
        this.#numbers.set(name, (number = this.#rules.length));
        this.#rules.push([]);
      }
      return number;
    };
    for (const { kind, concepts, within, unless } of conjunctions) {
      for (const concept of concepts) {
        this.#rules[numberOf(concept)]?.push({
          kind,
          forms: kind.includes(".") ? -1 : numberOf(kind),
          others: concepts.filter((other) => other !== concept).map(numberOf),
          within,
          unless: (unless ?? []).map(numberOf),
        });
      }
    }
    this.#starts = new Int32Array(this.#rules.length);
  }

  /** Returns the number of a concept, or -1. */
  numberOf(concept: string): number {
    return this.#numbers.get(concept) ?? -1;
  }

  /** Forgets the places of the text before. */
  reset(): void {
    this.#starts.fill(NEVER);
  }

  /** Takes the place of a concept in a text, in the order of the ends. */
  see(concept: number, start: number, end: number, visit: ConjunctionVisitor): void {
    this.#complete(concept, { start, last: start, end }, visit);
  }

  #complete(concept: number, { start, last, end }: Place, visit: ConjunctionVisitor): void {
    const starts = this.#starts;
    starts[concept] = start;
    for (const { kind, forms, others, within, unless } of this.#rules[concept] ?? []) {
      let first = start;
      for (const other of others) {
        const at = starts[other] ?? NEVER;
        if (at === start || last - at > within) {
          first = NEVER;
          break;
        }
        if (at < first) first = at;
      }
      if (first === NEVER) continue;
      if (unless.some((other) => this.#isBefore(other, first, last))) continue;
      if (forms < 0) visit(kind, first, end);
      else this.#complete(forms, { start: first, last, end }, visit);
    }
  }

  #isBefore(concept: number, first: number, last: number): boolean {
    const at = this.#starts[concept] ?? NEVER;
    return first - at <= BEFORE && at <= last;
  }
}

interface Place {
  readonly start: number;
  /** Where the last concept begins. */
  readonly last: number;
  readonly end: number;
}
