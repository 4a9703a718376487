import { CONJUNCTIONS, type Conjunction } from "./conjunctions.js";

/** Called with the kind of evidence that a conjunction is, and its range in the text. */
type ConjunctionVisitor = (kind: string, start: number, end: number) => void;

/** Offset before every text: the concept has not been seen. */
const NEVER = -1e9;
/** Characters before a conjunction in which a concept can cancel it. */
const BEFORE = 30;

/** Conjunction from the view of one of its concepts, with numbers for concepts. */
interface Rule {
  readonly kind: string;
  /** Number of the concept that the conjunction forms, or -1. */
  readonly forms: number;
  /** The other concepts of the conjunction. */
  readonly others: readonly number[];
  readonly within: number;
  readonly unless: readonly number[];
}

/**
 * Finds concepts near one another. It keeps the last place of each concept; a concept that is seen again completes the
 * conjunctions whose other concepts are near, which may form concepts in turn.
 *
 * INVARIANT: the work for a concept is bounded by the conjunctions, since a concept that a conjunction forms never takes part in forming another one.
 */
export class ConjunctionFinder {
  readonly #numbers = new Map<string, number>();
  readonly #rules: Rule[][] = [];
  /** Of each concept where its rules begin in `#others`, and where they end. */
  readonly #ranges: Int32Array;
  /** First other concept of each rule (or of a rule without any, itself), in the order of the rules: most fail at it. */
  readonly #others: Int32Array;
  readonly #withins: Int32Array;
  readonly #starts: Int32Array;
  #visit: ConjunctionVisitor = () => undefined;

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
    const all = this.#rules.flat();
    this.#ranges = new Int32Array(this.#rules.length + 1);
    this.#rules.forEach(({ length }, concept) => (this.#ranges[concept + 1] = (this.#ranges[concept] ?? 0) + length));
    this.#others = Int32Array.from(
      this.#rules.flatMap((rules, concept) => rules.map(({ others }) => others[0] ?? concept)),
    );
    this.#withins = Int32Array.from(all, ({ within }) => within);
    this.#starts = new Int32Array(this.#rules.length);
  }

  /** Returns the number of a concept, or -1. */
  numberOf(concept: string): number {
    return this.#numbers.get(concept) ?? -1;
  }

  /** Forgets the occurrences in the previous text; `visit` gets the evidence of the next one. */
  reset(visit: ConjunctionVisitor): void {
    this.#starts.fill(NEVER);
    this.#visit = visit;
  }

  /** Records an occurrence of a concept, in the order of the ends; `last` is where the last part of the concept begins. */
  see(concept: number, start: number, end: number, last = start): void {
    const starts = this.#starts;
    starts[concept] = start;
    const from = this.#ranges[concept] ?? 0;
    const to = this.#ranges[concept + 1] ?? 0;
    for (let rule = from; rule < to; rule++) {
      const other = starts[this.#others[rule] ?? 0] ?? NEVER;
      if (last - other > (this.#withins[rule] ?? 0)) continue;
      const found = this.#rules[concept]?.[rule - from];
      if (found !== undefined) this.#check(found, start, end, last);
    }
  }

  #check({ kind, forms, others, within, unless }: Rule, start: number, end: number, last: number): void {
    let first = start;
    for (const other of others) {
      const at = this.#starts[other] ?? NEVER;
      if (at === start || last - at > within) return;
      if (at < first) first = at;
    }
    if (unless.some((other) => this.#isBefore(other, first, last))) return;
    if (forms < 0) this.#visit(kind, first, end);
    else this.see(forms, first, end, last);
  }

  #isBefore(concept: number, first: number, last: number): boolean {
    const at = this.#starts[concept] ?? NEVER;
    return first - at <= BEFORE && at <= last;
  }
}
