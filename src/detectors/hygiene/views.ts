import type { TextView } from "../detector.js";
import type { TextLayer } from "../finding.js";
import { foldCase } from "../scan/fold-case.js";
import { COMPATIBILITY, INVISIBLE, MARK } from "./characters.js";
import { ciphersOf, decipher, joinSpelling, reverse, reverseWords } from "./ciphers.js";
import { foldConfusables } from "./confusables.js";
import { decodePieces } from "./decode/decode.js";
import { readLeetspeak } from "./leetspeak.js";
import { joinSpaced } from "./spaced.js";
import { joinWrapped } from "./wrapped.js";
import { CIPHER, ENCODED, featuresOf, JOINED, LEETSPEAK, LINED, MARKED, SPACED, SPLIT, UNUSUAL } from "./features.js";
import { joinLines, separateWords, stripMarks } from "./layout.js";
import { joinSplitWords } from "./split-words.js";
import { hasClass, specialClasses, stripCharacters } from "./strip.js";
import { stripAccents } from "./accents.js";
import { turnWords } from "./turned.js";

/** Alphabets of ciphers that are tried: one word of a text may look like another in a cipher. */
const MOST_ALPHABETS = 3;
/** Times that a text is decoded again at most, for Base64 of entities of `%` sequences. */
const MOST_ROUNDS = 4;

/** Text made of another, which knows where its ranges came from. */
interface Step {
  readonly text: string;
  readonly layers: readonly TextLayer[];
  toSource(start: number, end: number): readonly [start: number, end: number];
  layersIn(start: number, end: number): readonly TextLayer[];
}

/** View of a text after some steps; the last step made the text of the view. */
export class DisguisedView implements TextView {
  readonly text: string;
  readonly layers: readonly TextLayer[];
  readonly #source: string;
  readonly #steps: readonly Step[];
  #folded: string | undefined;
  #features: number | undefined;
  #decoded: DisguisedView | undefined;

  /** @param source - original text */
  constructor(source: string, steps: readonly Step[] = []) {
    this.#source = source;
    this.text = steps.at(-1)?.text ?? source;
    this.layers = steps.length === 0 ? [] : [...new Set(steps.flatMap(({ layers }) => layers))];
    this.#steps = steps;
  }

  /** Features of the text, as bits. */
  get features(): number {
    this.#features ??= featuresOf(this.text);
    return this.#features;
  }

  /** View without spaced-out letters and encoded pieces. */
  get decoded(): DisguisedView {
    this.#decoded ??= decode(this);
    return this.#decoded;
  }

  get folded(): string {
    this.#folded ??= foldCase(this.text);
    return this.#folded;
  }

  toOriginal(start: number, end: number): readonly [start: number, end: number] {
    let range: readonly [number, number] = [start, end];
    for (let at = this.#steps.length - 1; at >= 0; at--) range = this.#steps[at]?.toSource(...range) ?? range;
    return range;
  }

  /** Returns the disguises that were removed in a range, outermost first. */
  layersIn(start: number, end: number): readonly TextLayer[] {
    if (this.#steps.length === 0) return [];
    let range: readonly [number, number] = [start, end];
    const found: TextLayer[][] = [];
    for (let at = this.#steps.length - 1; at >= 0; at--) {
      const step = this.#steps[at];
      if (step === undefined) continue;
      found.unshift([...step.layersIn(...range)]);
      range = step.toSource(...range);
    }
    return [...new Set(found.flat())];
  }

  /** View of the original text, without steps. */
  get original(): DisguisedView {
    return this.#steps.length === 0 ? this : new DisguisedView(this.#source);
  }

  /** Returns the view after another step; this view if the step changes nothing. */
  after(step: Step | undefined): DisguisedView {
    return step === undefined ? this : new DisguisedView(this.#source, [...this.#steps, step]);
  }
}

/** Returns the view of a text without invisible characters, decorating marks, compatibility forms and confusables. */
export function plainView(original: DisguisedView): DisguisedView {
  return foldCharacters(original);
}

/** Returns the plain view of a text whose words upside down are turned around; undefined if it has none. */
export function turnedView(original: DisguisedView): DisguisedView | undefined {
  const turned = (original.features & UNUSUAL) === 0 ? undefined : turnWords(original.text);
  return turned === undefined ? undefined : foldCharacters(original.after(turned));
}

/**
 * Returns the further views of a text: upside down, decoded, without accents, leetspeak and ciphers, as far as it has such parts.
 */
export function furtherViews(plain: DisguisedView): readonly DisguisedView[] {
  const turned = turnedView(plain.original);
  return turned === undefined ? decodedViews(plain) : [...decodedViews(plain), decode(turned)];
}

function decodedViews(plain: DisguisedView): readonly DisguisedView[] {
  const { decoded } = plain;
  const features = decoded.features;
  if (features === 0) return decoded === plain ? [] : [decoded];
  const readable = decoded.after((features & LEETSPEAK) === 0 ? undefined : readLeetspeak(decoded.text)?.text);
  const unaccented = decoded.after((features & UNUSUAL) === 0 ? undefined : stripAccents(decoded.text));
  const views = [decoded, readable, unaccented, ...decodeCiphers(readable)];
  return views.filter((view, at) => view !== plain && views.indexOf(view) === at);
}

/**
 * Returns the decoded view of a text without what its layout puts around, between or within words: marks, what lines begin
 * with, doubled letters. Undefined if it has none.
 */
export function writtenView(plain: DisguisedView): DisguisedView | undefined {
  const { decoded } = plain;
  const { features } = decoded;
  let view = decoded;
  if ((features & MARKED) !== 0) view = view.after(stripMarks(view.text));
  if ((features & LINED) !== 0) view = view.after(joinLines(view.text));
  // Words are also joined by what stood between them.
  if (((features | view.features) & JOINED) !== 0) view = view.after(separateWords(view.text));
  return view === decoded ? undefined : view;
}

/** Joins spaced-out letters and decodes pieces until nothing changes. */
export function decode(plain: DisguisedView): DisguisedView {
  let view = plain;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = view;
    const features = view.features;
    if ((features & ENCODED) !== 0) view = foldAfter(view, decodePieces(view.text));
    if ((features & SPACED) !== 0) view = foldAfter(view, joinWrapped(view.text));
    if ((features & SPACED) !== 0) view = foldAfter(view, joinSpaced(view.text));
    if ((features & CIPHER) !== 0 && ciphersOf(view.folded).isSpelled) view = foldAfter(view, joinSpelling(view.text));
    // Signs within words may be those of another disguise.
    if (view === before && (features & SPLIT) !== 0) view = foldAfter(view, joinSplitWords(view.text));
    if (view === before) break;
  }
  return view;
}

function foldAfter(view: DisguisedView, step: Step | undefined): DisguisedView {
  if (step === undefined) return view;
  const stepped = view.after(step);
  return foldCharacters((stepped.features & UNUSUAL) === 0 ? stepped : stepped.after(turnWords(stepped.text)));
}

/** Returns the views in other alphabets and backwards, as far as the text has common words so written. */
export function decodeCiphers(view: DisguisedView): readonly DisguisedView[] {
  if ((view.features & CIPHER) === 0) return [];
  const { alphabets, isReversed } = ciphersOf(view.folded);
  return [
    ...[...alphabets]
      .slice(0, MOST_ALPHABETS)
      .map((alphabet) => view.after(mirrored(decipher(view.text, alphabet), "rot13"))),
    ...(isReversed ? [view.after(backwards(view.text)), view.after(reverseWords(view.text))] : []),
  ].map(decode);
}

function foldCharacters(view: DisguisedView): DisguisedView {
  if ((view.features & UNUSUAL) === 0) return view;
  let folded = view;
  // Text that was hidden in invisible characters may be disguised too.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const classes = specialClasses(folded.text);
    if (classes === 0) break;
    const before = folded;
    folded = folded.after(needsStrip(classes) ? stripCharacters(folded.text) : undefined);
    folded = folded.after(foldConfusables(folded.text));
    if (folded === before || !folded.layers.includes("invisible")) break;
  }
  return folded;
}

function needsStrip(classes: number): boolean {
  return hasClass(classes, INVISIBLE) || hasClass(classes, MARK) || hasClass(classes, COMPATIBILITY);
}

/** Step that keeps all offsets. */
function mirrored(text: string, layer: TextLayer): Step {
  return { text, layers: [layer], toSource: (start, end) => [start, end], layersIn: () => [layer] };
}

function backwards(source: string): Step {
  const { length } = source;
  return {
    text: reverse(source),
    layers: ["reversed"],
    toSource: (start, end) => [length - end, length - start],
    layersIn: () => ["reversed"],
  };
}
