import { PhraseMatcher } from "../phrases/phrase-matcher.js";
import type { FoldedText } from "../phrases/words.js";
import { findMarkers } from "./markers.js";
import { JAILBREAK_PHRASES } from "./phrases/all.js";
import { CONCEPT_LISTS } from "./phrases/concepts.js";
import { ENGLISH_LISTS } from "./phrases/english-lists.js";

/** Piece of text that speaks for a jailbreak. */
export interface Evidence {
  /** Family and kind, for example `instruction-override.full`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Built at the first use: most of the cost of the detector's construction. */
let matcher: PhraseMatcher | undefined;

/** Returns all evidence in a text, in the order of its ends. */
export function findEvidence(source: FoldedText): Evidence[] {
  matcher ??= new PhraseMatcher(JAILBREAK_PHRASES, { ...ENGLISH_LISTS, ...CONCEPT_LISTS });
  const { names } = matcher;
  const found: Evidence[] = [];
  matcher.visit(source, (name, start, end) => found.push({ kind: names[name] ?? "", start, end }));
  const markers = findMarkers(source.folded);
  return markers.length === 0 ? found : [...found, ...markers].sort((a, b) => a.end - b.end);
}
