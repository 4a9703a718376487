import type { FoldedText } from "../phrases/words.js";
import { COMMON_WORDS } from "./phrases/common-words.js";
import { CONTEXT_PRONOUNS, PRONOUNS, READER_PRONOUNS } from "./phrases/pronouns.js";
import type { Request } from "./requests.js";
import { Topic } from "./topic.js";

/** Log odds that a sentence of a document without anything particular is an instruction to the assistant. */
const BIAS = -4.9;

const isCommon = (word: string): boolean => COMMON_WORDS.has(word);

/** Log odds below which no agreement with the rest can make a sentence worth a finding. */
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
  /** Sentences that begin with a verb of a request, and those that ask. */
  readonly requests: number;
  readonly questions: number;
}

/** Returns how many requests and questions stand in a document. */
export function shapeOf(requests: readonly Request[]): DocumentShape {
  let asks = 0;
  let questions = 0;
  for (const { kinds, isQuestion } of requests) {
    if (isQuestion) questions++;
    else if (isImperative(kinds)) asks++;
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
    if (kinds.size === 0) return 0;
    const address = addressOdds(kinds);
    const asks = isImperative(kinds) || kinds.has("start.output");
    let odds = address + (asks ? this.#request(request) : request.isQuestion ? this.#question(request) : 0);
    if (odds > LEAST_EVIDENCE) odds += this.#fit(request, odds);
    return Math.round(100 / (1 + Math.exp(-BIAS - odds))) / 100;
  }

  #request({ kinds, start, end }: Request): number {
    let odds = 0.8;
    const isOwn = kinds.has("output.own");
    if (isOwn) odds += kinds.has("output.mail") ? 2.6 : 3.4;
    if (kinds.has("start.output")) odds += 1;
    if (kinds.has("start.rework")) odds += isOwn ? 1.4 : 0.8;
    if (kinds.has("genre.letters")) odds += 1.6;
    if (kinds.has("genre.word")) odds += kinds.has("start.task") ? 1.4 : 0.6;
    if (kinds.has("start.task")) odds += 1.4;
    const sentence = this.#source.folded.slice(start, end);
    if (kinds.has("start.act") && ADDRESS.test(sentence)) odds += 0.6;
    if (isOwn) return odds;
    if (kinds.has("meta.word")) odds += 1.6;
    if (READER_PRONOUNS.test(sentence)) odds -= 1;
    else if (CONTEXT_PRONOUNS.test(sentence)) odds -= 0.6;
    return odds;
  }

  #question({ kinds, start, end }: Request): number {
    if (!kinds.has("start.question") && !kinds.has("start.task")) return 0;
    let odds = PRONOUNS.test(this.#source.folded.slice(start, end)) ? 0.6 : 2.2;
    if (kinds.has("genre.word")) odds += 1.2;
    if (kinds.has("start.task")) odds += 1;
    if (kinds.has("output.own")) odds += 1;
    if (kinds.has("question.social")) odds -= 1.4;
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
    if (evidence < 3.4 || !kinds.has("output.own")) odds -= PENALTIES[Math.min(others, PENALTIES.length - 1)] ?? 0;
    if (others >= 2 && others / sentences > 0.4) odds -= 1;
    return odds;
  }
}

/** Words that speak to an assistant, about its user or against its task. */
function addressOdds(kinds: ReadonlySet<string>): number {
  let odds = 0;
  const asks = isImperative(kinds) || kinds.has("start.question") || hasClause(kinds);
  if (kinds.has("hostile")) odds += 5.5;
  if (kinds.has("assistant.hail")) odds += 4;
  else if (kinds.has("assistant.must")) odds += 2.4;
  else if (kinds.has("assistant.named")) odds += asks ? 1 : 0.3;
  if (kinds.has("start.named")) odds += 1.6;
  if (kinds.has("assistant.authority")) odds += 2.4;
  if (kinds.has("assistant.pressure")) odds += 1.6;
  if (kinds.has("assistant.persona")) odds += 2.2;
  if (kinds.has("assistant.marker")) odds += 2;
  if (kinds.has("assistant.user")) odds += 2.4;
  if (kinds.has("assistant.rating")) odds += asks ? 2.6 : 1.2;
  if (kinds.has("assistant.data")) odds += asks ? 0.8 : 0;
  if (kinds.has("start.when")) odds += asks ? 1.6 : 0.6;
  if (kinds.has("assistant.override")) odds += asks ? 2.4 : 1.6;
  if (kinds.has("assistant.tool") && !kinds.has("start.not")) odds += asks ? 1.8 : 0.8;
  if (odds > 1 && hasClause(kinds)) odds += kinds.has("meta.word") ? 1.6 : 0.8;
  return odds;
}

function hasClause(kinds: ReadonlySet<string>): boolean {
  return kinds.has("clause.task") || kinds.has("clause.edit") || kinds.has("clause.act") || kinds.has("clause.rework");
}

function isImperative(kinds: ReadonlySet<string>): boolean {
  return (
    kinds.has("start.task") ||
    kinds.has("start.edit") ||
    kinds.has("start.rework") ||
    kinds.has("start.act") ||
    kinds.has("start.not") ||
    kinds.has("asks.end")
  );
}
