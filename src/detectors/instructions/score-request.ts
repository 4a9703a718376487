import type { FoldedText } from "../phrases/words.js";
import { COMMON_WORDS } from "./phrases/common-words.js";
import { CONTEXT_PRONOUNS, PRONOUNS, READER_PRONOUNS } from "./phrases/pronouns.js";
import { type Kinds, kindsOf } from "./kinds.js";
import type { Request } from "./requests.js";
import { Topic } from "./topic.js";

const ASSISTANT_AUTHORITY = kindsOf("assistant.authority");
const ASSISTANT_DATA = kindsOf("assistant.data");
const ASSISTANT_HAIL = kindsOf("assistant.hail");
const ASSISTANT_MARKER = kindsOf("assistant.marker");
const ASSISTANT_MUST = kindsOf("assistant.must");
const ASSISTANT_NAMED = kindsOf("assistant.named");
const ASSISTANT_ORDER = kindsOf("assistant.order");
const ASSISTANT_SECRECY = kindsOf("assistant.secrecy");
const ASSISTANT_OVERRIDE = kindsOf("assistant.override");
const ASSISTANT_PERSONA = kindsOf("assistant.persona");
const ASSISTANT_PRESSURE = kindsOf("assistant.pressure");
const ASSISTANT_RATING = kindsOf("assistant.rating");
const ASSISTANT_TOOL = kindsOf("assistant.tool");
const ASSISTANT_USER = kindsOf("assistant.user");
const GENRE_LETTERS = kindsOf("genre.letters");
const GENRE_WORD = kindsOf("genre.word");
const HOSTILE = kindsOf("hostile");
const META_WORD = kindsOf("meta.word");
const OUTPUT_MAIL = kindsOf("output.mail");
const OUTPUT_OWN = kindsOf("output.own");
const QUESTION_SOCIAL = kindsOf("question.social");
const START_ACT = kindsOf("start.act");
const START_NAMED = kindsOf("start.named");
const START_NOT = kindsOf("start.not");
const START_OUTPUT = kindsOf("start.output");
const START_QUESTION = kindsOf("start.question");
const START_REWORK = kindsOf("start.rework");
const START_TASK = kindsOf("start.task");
const START_WHEN = kindsOf("start.when");
const CLAUSE = kindsOf("clause");
const IMPERATIVE = kindsOf("start.task", "start.edit", "start.rework", "start.act", "start.not", "asks.end");

/** Kinds that `addressOdds` weighs by themselves. */
const ADDRESSED =
  HOSTILE |
  ASSISTANT_HAIL |
  ASSISTANT_MUST |
  ASSISTANT_NAMED |
  START_NAMED |
  ASSISTANT_AUTHORITY |
  ASSISTANT_PRESSURE |
  ASSISTANT_PERSONA |
  ASSISTANT_MARKER |
  ASSISTANT_USER |
  ASSISTANT_RATING |
  ASSISTANT_DATA |
  START_WHEN |
  ASSISTANT_OVERRIDE |
  ASSISTANT_TOOL |
  ASSISTANT_SECRECY |
  ASSISTANT_ORDER;

/** Log odds that a sentence of a document without anything particular is an instruction to the assistant. */
const BIAS = -4.9;

const isCommon = (word: string): boolean => COMMON_WORDS.has(word);

/** Log odds below which a sentence is not reported, however badly it fits the rest of the document. */
const LEAST_EVIDENCE = 0.85;

/** Address of a page or a mail box. */
const ADDRESS =
  /https?:\/\/|www\.|\b[a-z0-9-]{2,40}\.(?:com|net|org|io|xyz|ru|info|biz|site|online|app|top|ai|co)\b|@[a-z0-9-]{2,40}\.[a-z]{2,10}\b/;

/** Log odds that other requests or questions of a document take away, by their number. */
const PENALTIES = [0, 0.3, 1.6, 2.2, 2.2, 2.2, 2.8];

/** Log odds of a sentence that shares no word with the rest of its document, by the number of its words with content. */
const FOREIGN = [0, 1, 2.2, 2.7, 3.1];
const MOST_FOREIGN = Math.max(...FOREIGN);
/** Sentences that a document has at least for one of them not to fit the others. */
const LEAST_SENTENCES = 3;

/** Log odds of the address of a page or a mail box in a request. */
const MOST_OF_REQUEST = 0.6;
/** Log odds of a question about nothing in the text or its readers. */
const MOST_OF_QUESTION = 1.6;

/** Certainty below which a sentence is never reported, whatever the scanner's threshold is. */
const LEAST = 0.3;
/** Log odds below which the certainty, to two digits, is less. */
const LEAST_ODDS = Math.log((LEAST - 0.006) / (1 - LEAST + 0.006)) - BIAS;

/** Properties of a document that its requests are weighed against. */
export interface DocumentShape {
  readonly sentences: number;
  /** Sentences that begin with the verb of a request, and questions. */
  readonly requests: number;
  readonly questions: number;
}

/** Returns the numbers of requests and questions in a document. */
export function shapeOf(requests: readonly Request[]): DocumentShape {
  let asks = 0;
  let questions = 0;
  for (const { kinds, isQuestion } of requests) {
    if (isQuestion) questions++;
    else if (has(kinds, IMPERATIVE)) asks++;
  }
  return { sentences: requests.length, requests: asks, questions };
}

/** Returns the certainty that a sentence of a document is meant for the assistant that reads it. */
export class RequestScorer {
  readonly #source: FoldedText;
  readonly #around: DocumentShape;
  #topic: Topic | undefined;

  constructor(source: FoldedText, around: DocumentShape) {
    this.#source = source;
    this.#around = around;
  }

  /** Returns the certainty between 0 and 1; 0 if it is below `LEAST`. */
  score(request: Request): number {
    const { kinds, isQuestion } = request;
    if (kinds === 0) return 0;
    const asks = has(kinds, IMPERATIVE) || has(kinds, START_OUTPUT);
    const form = addressOdds(kinds) + (asks ? requestOdds(kinds) : isQuestion ? questionOdds(kinds) : 0);
    // Most sentences of ordinary documents are decided by their form, and most others by their words.
    const most = form + (asks ? MOST_OF_REQUEST : isQuestion ? MOST_OF_QUESTION : 0);
    if (!this.#canReachLeast(request, most)) return 0;
    let odds = form + (asks ? this.#request(request) : isQuestion ? this.#question(request) : 0);
    if (!this.#canReachLeast(request, odds)) return 0;
    odds += this.#fit(request, odds);
    const score = Math.round(100 / (1 + Math.exp(-BIAS - odds))) / 100;
    return score >= LEAST ? score : 0;
  }

  #canReachLeast(request: Request, odds: number): boolean {
    return odds > LEAST_EVIDENCE && odds + this.#mostFit(request, odds) >= LEAST_ODDS;
  }

  /** Log odds of the words of a request. */
  #request({ kinds, start, end }: Request): number {
    const sentence = this.#source.folded.slice(start, end);
    const odds = has(kinds, START_ACT) && ADDRESS.test(sentence) ? MOST_OF_REQUEST : 0;
    if (has(kinds, OUTPUT_OWN)) return odds;
    if (READER_PRONOUNS.test(sentence)) return odds - 1;
    return CONTEXT_PRONOUNS.test(sentence) ? odds - 0.6 : odds;
  }

  /** Log odds of the words of a question, and of those after it. */
  #question({ kinds, start, end }: Request): number {
    if (!has(kinds, START_QUESTION) && !has(kinds, START_TASK)) return 0;
    const odds = PRONOUNS.test(this.#source.folded.slice(start, end)) ? 0 : MOST_OF_QUESTION;
    // A text that follows on the same line is likely the author's own answer.
    return /^ {1,2}[^\s]/.test(this.#source.folded.slice(end, end + 3)) ? odds - 0.5 : odds;
  }

  /** Agreement with the rest of the document: its topic, and other requests or questions. */
  #fit(request: Request, evidence: number): number {
    const { start, end } = request;
    if (this.#around.sentences < LEAST_SENTENCES) return 0;
    this.#topic ??= new Topic(this.#source);
    const { words, shared } = this.#topic.compare(start, end, isCommon);
    let odds = -this.#crowd(request, evidence);
    if (words > 0 && shared === 0) odds += FOREIGN[Math.min(words, FOREIGN.length - 1)] ?? 0;
    else if (words > 0 && shared * 2 >= words) odds -= 1.4;
    return odds;
  }

  /** Upper bound of `#fit`. */
  #mostFit(request: Request, evidence: number): number {
    return this.#around.sentences < LEAST_SENTENCES ? 0 : MOST_FOREIGN - this.#crowd(request, evidence);
  }

  /** Log odds that other requests or questions take away: a manual, an exercise or a list of questions is full of them. */
  #crowd({ isQuestion, kinds }: Request, evidence: number): number {
    const { sentences, requests, questions } = this.#around;
    const others = (isQuestion ? questions : requests) - 1;
    const isFull = others >= 2 && others / sentences > 0.4;
    const counts = evidence < 3.4 || !has(kinds, OUTPUT_OWN);
    return (isFull ? 1 : 0) + (counts ? (PENALTIES[Math.min(others, PENALTIES.length - 1)] ?? 0) : 0);
  }
}

/** Returns the log odds of the form of a request. */
function requestOdds(kinds: Kinds): number {
  let odds = 0.8;
  const isOwn = has(kinds, OUTPUT_OWN);
  if (isOwn) odds += has(kinds, OUTPUT_MAIL) ? 2.6 : 3.4;
  if (has(kinds, START_OUTPUT)) odds += 1;
  if (has(kinds, START_REWORK)) odds += isOwn ? 1.4 : 0.8;
  if (has(kinds, GENRE_LETTERS)) odds += 1.6;
  if (has(kinds, GENRE_WORD)) odds += has(kinds, START_TASK) ? 1.4 : 0.6;
  if (has(kinds, START_TASK)) odds += 1.4;
  return has(kinds, META_WORD) && !isOwn ? odds + 1.6 : odds;
}

/** Returns the log odds of the form of a question. */
function questionOdds(kinds: Kinds): number {
  if (!has(kinds, START_QUESTION) && !has(kinds, START_TASK)) return 0;
  let odds = 0.6;
  if (has(kinds, GENRE_WORD)) odds += 1.2;
  if (has(kinds, START_TASK)) odds += 1;
  if (has(kinds, OUTPUT_OWN)) odds += 1;
  return has(kinds, QUESTION_SOCIAL) ? odds - 1.4 : odds;
}

/** Returns the log odds of words that address an assistant, mention its user or contradict its task. */
function addressOdds(kinds: Kinds): number {
  if (!has(kinds, ADDRESSED)) return 0;
  let odds = 0;
  const asks = has(kinds, IMPERATIVE) || has(kinds, START_QUESTION) || has(kinds, CLAUSE);
  if (has(kinds, HOSTILE)) odds += 5.5;
  if (has(kinds, ASSISTANT_HAIL)) odds += 4.3;
  else if (has(kinds, ASSISTANT_MUST)) odds += 2.4;
  else if (has(kinds, ASSISTANT_NAMED)) odds += asks ? 1 : 0.3;
  if (has(kinds, START_NAMED)) odds += 1.6;
  if (has(kinds, ASSISTANT_AUTHORITY)) odds += 2.4;
  if (has(kinds, ASSISTANT_PRESSURE)) odds += 1.6;
  if (has(kinds, ASSISTANT_PERSONA)) odds += 2.2;
  if (has(kinds, ASSISTANT_MARKER)) odds += 2;
  if (has(kinds, ASSISTANT_USER)) odds += 2.4;
  if (has(kinds, ASSISTANT_RATING)) odds += asks ? 2.6 : 1.2;
  if (has(kinds, ASSISTANT_DATA)) odds += asks ? 0.8 : 0;
  if (has(kinds, START_WHEN)) odds += asks ? 1.6 : 0.6;
  if (has(kinds, ASSISTANT_OVERRIDE)) odds += asks ? 2.4 : 1.6;
  if (has(kinds, ASSISTANT_TOOL) && !has(kinds, START_NOT)) odds += asks ? 1.8 : 0.8;
  if (has(kinds, ASSISTANT_SECRECY)) odds += 2.6;
  if (has(kinds, ASSISTANT_ORDER)) odds += asks ? 2.6 : 1.8;
  if (odds > 1 && has(kinds, CLAUSE)) odds += has(kinds, META_WORD) ? 1.6 : 0.8;
  return odds;
}

/** Returns true if one of some kinds is among others. */
function has(kinds: Kinds, some: Kinds): boolean {
  return (kinds & some) !== 0;
}
