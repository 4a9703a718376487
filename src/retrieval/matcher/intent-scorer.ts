import type { ScoringTables } from "./intent-model.js";
import type { DualWeights } from "./linear-svm.js";
import type { QueryVector } from "./sparse-rows.js";

/** Scores of an example with and without itself. */
export interface LeftOut {
  /** Score of its own intent with the example. */
  readonly kept: number;
  /** Score of its own intent without the example. */
  readonly own: number;
  /** Best score of another intent: what an unrelated text would get. */
  readonly rival: number;
}

/** Rounding error of similarities and sums of 32-bit values. */
const ROUNDING = 1e-5;
/** Number of classes, including its own, with which a left-out row is compared. */
const MAX_COMPARED = 6;
/** Cost of finding a class among the rows of an n-gram. */
const SEARCH_WORK = 10;

/**
 * Scores a text in each class by the sum of its machine's margin, the cosine with the centroid, and the cosine with the
 * nearest row. The first two are linear and cheap; rows are compared only where the third could matter. Nothing is
 * allocated per text; the next one overwrites the results.
 */
export class IntentScorer {
  /** Best classes, best first; ties in label order. */
  readonly labels: Int32Array;
  /** Scores by class, for those in `labels`. */
  readonly scores: Float64Array;
  /** Row of the nearest example by class, for those in `labels`; -1 if none shares anything with the text. */
  readonly nearest: Int32Array;
  readonly #tables: ScoringTables;
  /** Score by class that is known without comparing rows. */
  readonly #linear: Float64Array;
  readonly #isScored: Uint8Array;
  readonly #best: Float64Array;
  readonly #similarities: Float64Array;

  constructor(tables: ScoringTables) {
    const classes = tables.lengths.length;
    this.#tables = tables;
    this.labels = new Int32Array(classes);
    this.scores = new Float64Array(classes);
    this.nearest = new Int32Array(classes);
    this.#linear = new Float64Array(classes);
    this.#isScored = new Uint8Array(classes);
    this.#best = new Float64Array(classes);
    this.#similarities = new Float64Array(tables.textOf.length);
  }

  /**
   * Finds the best classes for a text, at most `max`, and returns their number; 0 for a text that shares nothing with
   * any row.
   */
  rank(vector: QueryVector, max: number): number {
    const classes = this.#linear.length;
    const wanted = Math.min(max, classes);
    if (!(vector.norm > 0) || wanted < 1) return 0;
    if (this.#tables.weights === undefined) {
      this.#compareAll(vector.places, vector.values, 0, vector.count);
      this.#sumUp();
      return this.#rankAll(wanted);
    }
    this.#score(vector.places, vector.values, 0, vector.count);
    this.#isScored.fill(0);
    const all = this.#workOfAll(vector);
    const work = all / classes + SEARCH_WORK * vector.count + classes;
    for (let found = 0, spent = work; ; spent += work) {
      const label = this.#nextLabel();
      if (label === -1) return found;
      // A cosine is at most the length of what the text shares with the examples.
      const bound = (this.#linear[label] as number) + vector.norm + ROUNDING;
      if (found === wanted && bound < (this.scores[this.labels[found - 1] as number] as number)) return found;
      if (spent > all) {
        this.#compareAll(vector.places, vector.values, 0, vector.count);
        return this.#rankAll(wanted);
      }
      this.#isScored[label] = 1;
      this.#compareClass(label, vector.places, vector.values, 0, vector.count);
      found = this.#insert(label, found, wanted);
    }
  }

  /**
   * Scores a row as if it were not an example: it is not compared with itself, and its contributions to the centroid
   * and the machines are subtracted. Only the likely rivals are compared.
   */
  leaveOut(row: number, own: number, dual: DualWeights): LeftOut {
    const { lengths } = this.#tables;
    this.#compareSome(row, own);
    const all = this.#sumOf(own);
    const itself = this.#similarities[row] as number;
    const kept = this.scores[own] as number;
    this.#similarities[row] = 0;
    this.#compareMembers(own);
    let similarity = 0;
    for (let label = 0; label < lengths.length; label += 1) {
      if (this.#isScored[label] === 1) similarity = Math.max(similarity, this.#best[label] as number);
    }
    // Without it, similar rows would take over its weight.
    const share = 1 - similarity;
    let rival = -Infinity;
    for (let label = 0; label < lengths.length; label += 1) {
      if (label === own || this.#isScored[label] === 0) continue;
      rival = Math.max(rival, (this.scores[label] as number) + share * (dual[row * lengths.length + label] ?? 0));
    }
    const length = lengths[own] as number;
    const margin = (this.#linear[own] as number) - (length > 0 ? all / length : 0);
    const others = all - itself;
    const square = length ** 2 - 2 * others - 1;
    const middle = square > Number.EPSILON ? others / Math.sqrt(square) : 0;
    const support = share * (dual[row * lengths.length + own] ?? 0);
    return { kept, own: margin - support + (this.#best[own] as number) + middle, rival };
  }

  /** Compares a row with those of its own class and of the classes with the best linear scores. */
  #compareSome(row: number, own: number): void {
    const { rows, lengths, weights } = this.#tables;
    const [start, end] = [rows.starts[row] as number, rows.starts[row + 1] as number];
    if (weights === undefined || lengths.length <= MAX_COMPARED) {
      this.#isScored.fill(1);
      if (weights !== undefined) this.#score(rows.places, rows.values, start, end);
      this.#compareAll(rows.places, rows.values, start, end);
      if (weights === undefined) this.#sumUp();
      return;
    }
    this.#score(rows.places, rows.values, start, end);
    this.#isScored.fill(0);
    for (let compared = 0, label = own; compared < MAX_COMPARED; compared += 1, label = this.#nextLabel()) {
      this.#isScored[label] = 1;
      this.#compareClass(label, rows.places, rows.values, start, end);
    }
  }

  /** Best score of a text without words. */
  scoreOfNothing(): number {
    return this.#tables.constants.reduce((best, constant) => Math.max(best, constant), -Infinity);
  }

  /** Average number of multiplications for leaving out a row. */
  get workPerRow(): number {
    const { rows, postings, textOf, lengths } = this.#tables;
    let comparisons = 0;
    for (let place = 0; place < postings.starts.length - 1; place += 1) {
      comparisons += ((postings.starts[place + 1] as number) - (postings.starts[place] as number)) ** 2;
    }
    const entries = rows.places.length * lengths.length;
    return (comparisons + entries) / Math.max(1, textOf.length) + textOf.length;
  }

  /** Computes the linear scores from the machines and centroids of all classes. */
  #score(places: Int32Array, values: Float32Array, start: number, end: number): void {
    const { constants } = this.#tables;
    const weights = this.#tables.weights as Float32Array;
    const linear = this.#linear;
    const classes = linear.length;
    for (let label = 0; label < classes; label += 1) linear[label] = constants[label] as number;
    let entry = start;
    for (; entry + 1 < end; entry += 2) {
      const a = Math.imul(places[entry] as number, classes);
      const b = Math.imul(places[entry + 1] as number, classes);
      const x = values[entry] as number;
      const y = values[entry + 1] as number;
      for (let label = 0; label < classes; label += 1) {
        const both = x * (weights[(a + label) | 0] as number) + y * (weights[(b + label) | 0] as number);
        linear[label] = (linear[label] as number) + both;
      }
    }
    if (entry === end) return;
    const base = Math.imul(places[entry] as number, classes);
    const value = values[entry] as number;
    for (let label = 0; label < classes; label += 1) {
      linear[label] = (linear[label] as number) + value * (weights[(base + label) | 0] as number);
    }
  }

  /** Computes the linear scores from the similarities of all rows, if there are no machines. */
  #sumUp(): void {
    const { lengths } = this.#tables;
    for (let label = 0; label < lengths.length; label += 1) {
      const length = lengths[label] as number;
      this.#linear[label] = length > 0 ? this.#sumOf(label) / length : 0;
      this.scores[label] = (this.#linear[label] as number) + (this.#best[label] as number);
    }
  }

  #sumOf(label: number): number {
    const { classStarts } = this.#tables;
    let sum = 0;
    const end = classStarts[label + 1] as number;
    for (let row = classStarts[label] as number; row < end; row += 1) sum += this.#similarities[row] as number;
    return sum;
  }

  #workOfAll({ places, count }: QueryVector): number {
    const { starts } = this.#tables.postings;
    let work = this.#similarities.length;
    for (let entry = 0; entry < count; entry += 1) {
      const place = places[entry] as number;
      work += (starts[place + 1] as number) - (starts[place] as number);
    }
    return work;
  }

  /** Returns the class with the highest linear score that was not compared; -1 if all were. */
  #nextLabel(): number {
    let next = -1;
    let greatest = -Infinity;
    for (let label = 0; label < this.#linear.length; label += 1) {
      const score = this.#linear[label] as number;
      if (this.#isScored[label] === 1 || (next !== -1 && score <= greatest)) continue;
      next = label;
      greatest = score;
    }
    return next;
  }

  /**
   * Compares a vector with the rows of a class.
   *
   * INVARIANT: products are added in the order of the vector, as when comparing all rows, so that both give
   * bit-identical similarities.
   */
  #compareClass(label: number, places: Int32Array, values: Float32Array, start: number, end: number): void {
    const { postings, classStarts } = this.#tables;
    const { starts, places: rows, values: weights } = postings;
    const first = classStarts[label] as number;
    const last = classStarts[label + 1] as number;
    const similarities = this.#similarities.fill(0, first, last);
    for (let entry = start; entry < end; entry += 1) {
      const place = places[entry] as number;
      const value = values[entry] as number;
      const stop = starts[place + 1] as number;
      let at = starts[place] as number;
      for (let high = stop; at < high;) {
        const middle = (at + high) >>> 1;
        if ((rows[middle] as number) < first) at = middle + 1;
        else high = middle;
      }
      for (; at < stop; at += 1) {
        const row = rows[at] as number;
        if (row >= last) break;
        similarities[row] = (similarities[row] as number) + value * (weights[at] as number);
      }
    }
    this.#compareMembers(label);
  }

  /** Compares a vector with all rows at once. */
  #compareAll(places: Int32Array, values: Float32Array, start: number, end: number): void {
    const { starts, places: rows, values: weights } = this.#tables.postings;
    const similarities = this.#similarities.fill(0);
    for (let entry = start; entry < end; entry += 1) {
      const value = values[entry] as number;
      const place = places[entry] as number;
      const last = starts[place + 1] as number;
      for (let at = starts[place] as number; at < last; at += 1) {
        const row = rows[at] as number;
        similarities[row] = (similarities[row] as number) + value * (weights[at] as number);
      }
    }
    for (let label = 0; label < this.#best.length; label += 1) this.#compareMembers(label);
  }

  /** Computes the best similarity of a class and its nearest example. */
  #compareMembers(label: number): void {
    const { classStarts, textOf, examples } = this.#tables;
    let [best, closest, nearest] = [0, 0, -1];
    const end = classStarts[label + 1] as number;
    for (let row = classStarts[label] as number; row < end; row += 1) {
      const similarity = this.#similarities[row] as number;
      if (similarity > best) best = similarity;
      if (similarity <= closest || (textOf[row] as number) >= examples) continue;
      closest = similarity;
      nearest = row;
    }
    this.#best[label] = best;
    this.nearest[label] = nearest;
    this.scores[label] = (this.#linear[label] as number) + best;
  }

  #rankAll(wanted: number): number {
    let found = 0;
    for (let label = 0; label < this.#linear.length; label += 1) found = this.#insert(label, found, wanted);
    return found;
  }

  /** Inserts a class among the best; returns their number. */
  #insert(label: number, found: number, wanted: number): number {
    const { labels, scores } = this;
    const score = scores[label] as number;
    let at = found;
    while (at > 0 && isBefore(label, score, labels[at - 1] as number, scores)) at -= 1;
    if (at >= wanted) return found;
    const count = Math.min(found + 1, wanted);
    labels.copyWithin(at + 1, at, count - 1);
    labels[at] = label;
    return count;
  }
}

function isBefore(label: number, score: number, other: number, scores: Float64Array): boolean {
  const otherScore = scores[other] as number;
  return score > otherScore || (score === otherScore && label < other);
}
