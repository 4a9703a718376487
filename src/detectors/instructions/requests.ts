import type { TextView } from "../detector.js";
import { CONCEPT_LISTS } from "../jailbreak/phrases/concepts.js";
import { ENGLISH_LISTS } from "../jailbreak/phrases/english-lists.js";
import { JAILBREAK_PHRASES } from "../jailbreak/phrases/all.js";
import { findTemplateMarks } from "../jailbreak/markers.js";
import { codeAt } from "../scan/code-at.js";
import { PhraseMatcher } from "../phrases/phrase-matcher.js";
import type { PhraseTable } from "../phrases/phrase-table.js";
import { type WordList, wordsOf } from "../phrases/words.js";
import { type Kinds, kindInClause, kindOf, kindsOf } from "./kinds.js";
import { REQUESTS, REQUEST_LISTS } from "./phrases/english.js";
import { ADDRESS_CONCEPTS, ADDRESS_LISTS } from "./phrases/concepts.js";
import { FOREIGN_ORDERS } from "./phrases/foreign-orders.js";
import { HIDDEN_ORDERS } from "./phrases/hidden-orders.js";
import { ORDERS } from "./phrases/english-orders.js";
import { OTHER_REQUESTS } from "./phrases/other-languages.js";
import { READER_ORDERS } from "./phrases/reader-orders.js";
import { splitSentences } from "./sentences.js";

/** Sentence of a document, with the kinds of phrases that it contains. */
export interface Request {
  readonly start: number;
  readonly end: number;
  readonly isQuestion: boolean;
  readonly kinds: Kinds;
}

/** Kinds of jailbreak phrasing that no ordinary document contains, in all languages. */
const HOSTILE = [
  "instruction-override.full",
  "instruction-override.replace",
  "prompt-leak.full",
  "known-jailbreak.strong",
  "no-restrictions.pretend",
  "secret-extraction.full",
  "authority.strong",
  "encoded-payload.full",
];

const HOSTILE_KIND = kindsOf("hostile");
const MARKER = kindsOf("assistant.marker");

/** Name of a table of phrases, and the kinds that one of them is; where it is not placed it counts anywhere in a sentence. */
interface PhraseKind {
  readonly kind: Kinds;
  readonly isPlaced: boolean;
  /** Name of a machine, which counts only as a form of address. */
  readonly isCall: boolean;
  /** Kind of the phrase at the start of a clause. */
  readonly inClause: Kinds;
}

interface RequestPhrases {
  readonly matcher: PhraseMatcher;
  readonly kinds: readonly PhraseKind[];
}

let phrases: RequestPhrases | undefined;

function buildPhrases(): RequestPhrases {
  const hostile = JAILBREAK_PHRASES.map((table): PhraseTable => ({
    hostile: HOSTILE.flatMap((kind) => table[kind] ?? []),
  }));
  const matcher = new PhraseMatcher(
    [REQUESTS, ORDERS, ADDRESS_CONCEPTS, HIDDEN_ORDERS, READER_ORDERS, FOREIGN_ORDERS, ...OTHER_REQUESTS, ...hostile],
    {
      ...ENGLISH_LISTS,
      ...CONCEPT_LISTS,
      ...REQUEST_LISTS,
      ...ADDRESS_LISTS,
    },
  );
  const kinds = matcher.names.map((name) => ({
    kind: kindOf(name),
    isPlaced: name.startsWith("start."),
    inClause: kindInClause(name),
    isCall: name.startsWith("called."),
  }));
  return { matcher, kinds };
}

/** Words that may stand before the verb of a request at the start of a sentence. */
const LEAD_WORDS =
  "please|kindly|now|then|also|next|first|finally|instead|just|simply|and|p.s.|p.s|ps.|ps|note|important|hey|hi|hello|by the way|btw|one more thing|assistant|ai|can you|could you|would you|will you|you must|you should|you need to|you have to|you will|i want you to|i need you to|i would like you to|make sure to|be sure to|remember to|your task is to|in addition|additionally|before that|after that|secretly|silently|quietly";
const LEAD = new RegExp(`^(?:(?:${LEAD_WORDS.replaceAll(".", "\\.")})[\\s,:;.!-]{1,4}){1,4}$`);
/** 1 for the first two characters of these words: most sentences begin with others. */
const LEAD_BEGINNINGS = new Uint8Array(0x4000);
for (const words of LEAD_WORDS.split("|")) LEAD_BEGINNINGS[pairOf(words.charCodeAt(0), words.charCodeAt(1))] = 1;
/** End of a text after which a clause begins: a sign, or a word of `CLAUSE_WORDS`. */
const CLAUSE_SIGN = /[:;,(，、：；](?:\s{0,2}|[请請])$/;
const CLAUSE_WORDS = new Set(["and", "then", "to", "please"]);
/** Characters in which `CLAUSE_SIGN` matches. */
const LONGEST_SIGN = 3;
/** Word in the middle of a line that may begin a sentence: a capital, and a further word that has none. */
const CAPITAL = /^\p{Lu}\p{Ll}{1,14} \p{Ll}/u;
const LONGEST_LEAD = 60;

/** Returns the sentences of a document with their phrases. */
export function findRequests(view: TextView): readonly Request[] {
  const { text, folded } = view;
  const { matcher, kinds } = (phrases ??= buildPhrases());
  const words = wordsOf(view);
  const requests = new RequestList(text, words);
  matcher.visit(view, (name, start, end) => {
    const phrase = kinds[name];
    if (phrase === undefined) return;
    if (phrase.isCall && !isAddress(folded, start, end)) return;
    const sentence = requests.at(end - 1);
    const place = phrase.isPlaced ? placeOf(view, words.codes, sentence.start, start) : "start";
    if (place === "clause") sentence.kinds |= phrase.inClause;
    else if (place === "start") sentence.kinds |= phrase.kind;
    else if (place === "new") requests.split(start).kinds |= phrase.kind;
  });
  requests.rewind();
  for (const { kind, start } of findTemplateMarks(folded)) {
    requests.at(start).kinds |= kind === "fake-markers.strong" ? HOSTILE_KIND : MARKER;
  }
  return requests.rewind();
}

interface OpenRequest extends Request {
  end: number;
  kinds: Kinds;
}

/** Sentences of a text, read from its start to its end. */
class RequestList {
  #all: OpenRequest[];
  /** Sentences before the current one. */
  readonly #before: OpenRequest[] = [];
  #current: OpenRequest | undefined;
  #next = 0;

  constructor(text: string, words: WordList) {
    this.#all = splitSentences(text, words, openRequest);
  }

  /** Returns the sentence at an offset, or the next one; offsets must not decrease. */
  at(offset: number): OpenRequest {
    let current = this.#current ?? this.#advance();
    while (current.end <= offset && this.#next < this.#all.length) {
      this.#before.push(current);
      current = this.#advance();
    }
    return current;
  }

  /** Ends the current sentence where a new one begins, and returns the new one. */
  split(start: number): OpenRequest {
    const current = this.at(start);
    const added = openRequest(start, current.end, current.isQuestion);
    current.end = start;
    this.#before.push(current);
    return (this.#current = added);
  }

  /** Goes back to the first sentence; returns all. */
  rewind(): readonly Request[] {
    if (this.#current !== undefined) this.#before.push(this.#current);
    // Without a split they are the same.
    if (this.#before.length > this.#next) this.#all = [...this.#before, ...this.#all.slice(this.#next)];
    this.#before.length = 0;
    this.#current = undefined;
    this.#next = 0;
    return this.#all;
  }

  #advance(): OpenRequest {
    return (this.#current = this.#all[this.#next++] ?? openRequest(0, 0, false));
  }
}

function openRequest(start: number, end: number, isQuestion: boolean): OpenRequest {
  return { start, end, isQuestion, kinds: 0 };
}

/** @param codes - code units of the folded text */
function placeOf(
  { text, folded }: TextView,
  codes: Uint16Array,
  sentence: number,
  start: number,
): "start" | "clause" | "new" | "inside" {
  if (start <= sentence) return "start";
  const isCapital = codeAt(text, start) !== codes[start];
  const before = wordBefore(folded, codes, start);
  if (!isCapital && before === OTHER_WORD) return "inside";
  if (
    start - sentence <= LONGEST_LEAD &&
    LEAD_BEGINNINGS[pairOf(codes[sentence] ?? 0, codes[sentence + 1] ?? 0)] === 1
  ) {
    if (LEAD.test(folded.slice(sentence, start))) return "start";
  }
  if (CLAUSE_WORDS.has(before)) return "clause";
  if (before === "" && CLAUSE_SIGN.test(folded.slice(Math.max(sentence, start - LONGEST_SIGN), start))) return "clause";
  return isCapital && CAPITAL.test(text.slice(start, start + 24)) ? "new" : "inside";
}

/** Returns two characters as one number, in which others than ASCII look like ASCII. */
function pairOf(code: number, next: number): number {
  return (code & 0x7f) * 0x80 + (next & 0x7f);
}

/** End of a form of address: a colon or a comma, after at most some words on what the machine is doing. */
const ADDRESSED =
  /^(?:\]|\s(?:\p{L}{2,12}ing\b|that\b|who\b|when\b|handling\b)[^.:;,!?\n"：，]{0,36})?\s?(?:[:,：，、]|(?:へ|に)[:：、])/u;
const LONGEST_ADDRESS = 56;
/** Start of a form of address before the name: a sign, or words such as "note for the"; not a hyphen within a word. */
const OPENING =
  /(?:^|[\n"'“«([{<>*/#@:;.!?,|。：]|(?<![\p{L}\p{N}])-)\s?$|(?:^|[^\p{L}])(?:note|message|instructions?|notice|reminder|hint|memo|comment|to|for|dear|hey|hello|hi|attention|hinweis|nachricht|an|nota|mensaje|à|para|pour|aan|per|do|для|к|致|给)(?: (?:the|all|any|every|an|a|our|your|future|other|coding|mail|support|screening|virtual|automated|die|den|das|alle|el|la|los|l|le|les|de|het|o|os|il|lo)){0,2}[\s']?$/u;
const LONGEST_OPENING = 48;

/** Returns true if a name stands as a form of address: "AI: …", "assistant, …", "note to the model reading this: …". */
function isAddress(folded: string, start: number, end: number): boolean {
  if (!ADDRESSED.test(folded.slice(end, end + LONGEST_ADDRESS))) return false;
  return OPENING.test(folded.slice(Math.max(0, start - LONGEST_OPENING), start));
}

/** Last words of `LEAD`, and `CLAUSE_WORDS`. */
const BEFORE_VERB = new Set(
  "please kindly now then also next first finally instead just simply and s note important hey hi hello way btw thing assistant ai you must should to is addition additionally that secretly silently quietly".split(
    " ",
  ),
);
const LONGEST_BEFORE = 12;
const OTHER_WORD = "other";

/** Returns the word of `BEFORE_VERB` right before an offset, `OTHER_WORD` for another one, as before most verbs, or an empty text. */
function wordBefore(folded: string, codes: Uint16Array, start: number): string {
  if (codes[start - 1] !== 0x20) return "";
  let at = start - 1;
  while (at > 0 && start - at < LONGEST_BEFORE + 2 && isSmallLetter(codes[at - 1] ?? 0)) at--;
  const length = start - 1 - at;
  if (length === 0) return "";
  const last = (codes[start - 2] ?? 0) - FIRST_LETTER;
  if (((BEFORE_ENDS[length] ?? 0) & (1 << last)) === 0) return OTHER_WORD;
  const word = folded.slice(at, start - 1);
  return BEFORE_VERB.has(word) ? word : OTHER_WORD;
}

const FIRST_LETTER = 0x61;
/** Last letters of `BEFORE_VERB`, as bits, by their length: most words differ from them in these. */
const BEFORE_ENDS = new Int32Array(LONGEST_BEFORE + 3);
for (const word of BEFORE_VERB) {
  BEFORE_ENDS[word.length] = (BEFORE_ENDS[word.length] ?? 0) | (1 << (word.charCodeAt(word.length - 1) - FIRST_LETTER));
}

function isSmallLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}
