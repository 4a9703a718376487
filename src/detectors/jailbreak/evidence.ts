import { PhraseMatcher } from "../phrases/phrase-matcher.js";
import type { FoldedText } from "../phrases/words.js";
import { ConjunctionFinder } from "./concepts/conjunction-finder.js";
import { LEXICON } from "./concepts/lexicon.js";
import { LineCoverage } from "./line-coverage.js";
import { findMarkers } from "./markers.js";
import { withoutMentions } from "./mentions.js";
import { JAILBREAK_PHRASES } from "./phrases/all.js";
import { CONCEPT_LISTS } from "./phrases/concepts.js";
import { ENGLISH_LISTS } from "./phrases/english-lists.js";
import type { Evidence } from "./weigh-evidence.js";

/** Kinds that are orders to the assistant, but ordinary questions after "how do I". */
const ORDERS: ReadonlySet<string> = new Set([
  "known-jailbreak.mode",
  "known-jailbreak.state",
  "prompt-leak.full",
  "prompt-leak.weak",
  "prompt-leak.where",
  "authority.strong",
  "authority.claim",
  "no-restrictions.full",
  "instruction-override.replace",
]);

/** Kinds that a thing right after them makes a request about that thing: "turn off the content filter of the router". */
const OF_THINGS: ReadonlySet<string> = new Set([
  "instruction-override.safety",
  "instruction-override.all-safety",
  "instruction-override.ended-safety",
  "instruction-override.ended-rules",
  "instruction-override.rules",
  "authority.unguarded",
  "authority.unguarded-answer",
  "no-restrictions.full",
]);

/** Longest distance from the end of such evidence to the end of the thing, in characters. */
const THING_DISTANCE = 30;

/** Most characters between the words "how do I" and the phrase. */
const NEXT = 2;

/** Finds phrases and concepts in one pass. */
class EvidenceFinder {
  readonly #matcher = new PhraseMatcher([...JAILBREAK_PHRASES, LEXICON], { ...ENGLISH_LISTS, ...CONCEPT_LISTS });
  readonly #conjunctions = new ConjunctionFinder();
  /** Of each name of the matcher the number of its concept, or -1 for a kind of evidence. */
  readonly #concepts: Int32Array;
  readonly #areOrders: readonly boolean[];
  readonly #coverage: LineCoverage;
  readonly #asked: number;
  readonly #thing: number;
  readonly #written: number;

  constructor() {
    const { names } = this.#matcher;
    this.#concepts = Int32Array.from(names, (name) => this.#conjunctions.numberOf(name));
    this.#areOrders = names.map((name) => ORDERS.has(name));
    this.#coverage = new LineCoverage(names);
    this.#asked = names.indexOf("asked");
    this.#thing = names.indexOf("thing");
    this.#written = names.indexOf("written");
  }

  find(source: FoldedText): Evidence[] {
    const { names } = this.#matcher;
    const conjunctions = this.#conjunctions;
    const concepts = this.#concepts;
    const found: Evidence[] = [];
    const add = (kind: string, start: number, end: number): void => {
      found.push({ kind, start, end });
    };
    conjunctions.reset(add);
    const line = this.#coverage.begin(source) ? this.#coverage : undefined;
    const written: (readonly [start: number, end: number])[] = [];
    let questionEnd = -NEXT - 1;
    this.#matcher.visit(source, (name, start, end) => {
      line?.cover(name, start, end);
      const concept = concepts[name] ?? -1;
      if (name === this.#written) {
        written.push([start, end]);
      } else if (concept >= 0) {
        if (name === this.#asked) questionEnd = end;
        if (name === this.#thing) dropEvidenceOfThing(found, end);
        conjunctions.see(concept, start, end);
      } else if (!(this.#areOrders[name] === true && start >= questionEnd && start - questionEnd <= NEXT)) {
        add(names[name] ?? "", start, end);
      }
    });
    line?.finish(found);
    return written.length === 0 ? found : withoutTakenBack(found, written);
  }
}

/** Evidence but for orders that end in what the user wrote: "ignore my last message". Both are in the order of their ends. */
function withoutTakenBack(found: Evidence[], written: readonly (readonly [start: number, end: number])[]): Evidence[] {
  let next = 0;
  return found.filter(({ kind, end }) => {
    while ((written[next]?.[1] ?? Infinity) < end) next++;
    return !kind.startsWith("instruction-override.") || (written[next]?.[0] ?? Infinity) > end;
  });
}

/** Drops the evidence right before a thing that ends at an offset. */
function dropEvidenceOfThing(found: Evidence[], end: number): void {
  for (let at = found.length - 1; at >= 0; at--) {
    const piece = found[at];
    if (piece === undefined || end - piece.end > THING_DISTANCE) return;
    if (OF_THINGS.has(piece.kind)) found.splice(at, 1);
  }
}

/** Built at the first use, since building takes most of the time of the first scan. */
let finder: EvidenceFinder | undefined;

/** Returns all evidence in a text, in the order of its ends. */
export function findEvidence(source: FoldedText): readonly Evidence[] {
  finder ??= new EvidenceFinder();
  const found = withoutMentions(finder.find(source), source.folded);
  const markers = findMarkers(source.folded);
  return markers.length === 0 ? found : [...found, ...markers].sort((a, b) => a.end - b.end);
}
