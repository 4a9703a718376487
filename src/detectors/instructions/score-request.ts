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

  /** Returns the certainty between 0 and 1. */
  score(request: Request): number {
    const { kinds } = request;
    if (kinds === 0) return 0;
    const address = addressOdds(kinds);
    const asks = has(kinds, IMPERATIVE) || has(kinds, START_OUTPUT);
    let odds = address + (asks ? this.#request(request) : request.isQuestion ? this.#question(request) : 0);
    if (odds > LEAST_EVIDENCE) odds += this.#fit(request, odds);
    return Math.round(100 / (1 + Math.exp(-BIAS - odds))) / 100;
  }

  #request({ kinds, start, end }: Request): number {
    let odds = 0.8;
    const isOwn = has(kinds, OUTPUT_OWN);
    if (isOwn) odds += has(kinds, OUTPUT_MAIL) ? 2.6 : 3.4;
    if (has(kinds, START_OUTPUT)) odds += 1;
    if (has(kinds, START_REWORK)) odds += isOwn ? 1.4 : 0.8;
    if (has(kinds, GENRE_LETTERS)) odds += 1.6;
    if (has(kinds, GENRE_WORD)) odds += has(kinds, START_TASK) ? 1.4 : 0.6;
    if (has(kinds, START_TASK)) odds += 1.4;
    const sentence = this.#source.folded.slice(start, end);
    if (has(kinds, START_ACT) && ADDRESS.test(sentence)) odds += 0.6;
    if (isOwn) return odds;
    if (has(kinds, META_WORD)) odds += 1.6;
    if (READER_PRONOUNS.test(sentence)) odds -= 1;
    else if (CONTEXT_PRONOUNS.test(sentence)) odds -= 0.6;
    return odds;
  }

  #question({ kinds, start, end }: Request): number {
    if (!has(kinds, START_QUESTION) && !has(kinds, START_TASK)) return 0;
    let odds = PRONOUNS.test(this.#source.folded.slice(start, end)) ? 0.6 : 2.2;
    if (has(kinds, GENRE_WORD)) odds += 1.2;
    if (has(kinds, START_TASK)) odds += 1;
    if (has(kinds, OUTPUT_OWN)) odds += 1;
    if (has(kinds, QUESTION_SOCIAL)) odds -= 1.4;
    // A text that follows on the same line is likely the author's own answer.
    if (/^ {1,2}[^\s]/.test(this.#source.folded.slice(end, end + 3))) odds -= 0.5;
    return odds;
  }

  /** Agreement with the rest of the document: its topic, and other requests or questions. */
  #fit({ start, end, isQuestion, kinds }: Request, evidence: number): number {
    const { sentences, requests, questions } = this.#around;
    if (sentences < 3) return 0;
    this.#topic ??= new Topic(this.#source);
    const { words, shared } = this.#topic.compare(start, end, isCommon);
    let odds = 0;
    if (words > 0 && shared === 0) odds += FOREIGN[Math.min(words, FOREIGN.length - 1)] ?? 0;
    else if (words > 0 && shared * 2 >= words) odds -= 1.4;
    // A manual, an exercise or a list of questions is full of them.
    const others = (isQuestion ? questions : requests) - 1;
    if (evidence < 3.4 || !has(kinds, OUTPUT_OWN)) odds -= PENALTIES[Math.min(others, PENALTIES.length - 1)] ?? 0;
    if (others >= 2 && others / sentences > 0.4) odds -= 1;
    return odds;
  }
}

/** Returns the log odds of words that address an assistant, mention its user or contradict its task. */
function addressOdds(kinds: Kinds): number {
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
