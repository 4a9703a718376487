import { questionIn } from "../values/answer.js";
import { AIMessageChunk } from "@langchain/core/messages";
import type { AnswerReview } from "../../turn/options.js";
import type { AnswerOptions, Answer } from "../values/answer.js";
import { isMessage, isObject, isPromptValue, type PlainObject } from "../values/message-kinds.js";
import { shapeOfRunnable } from "../review/result-shape.js";
import {
  type ChunkFormat,
  type ChunkReading,
  type Reviewed,
  type StreamEnd,
  type Findings,
  messageFormat,
} from "./message-format.js";
import { shapeError } from "../shape-error.js";
import { evidenceTexts } from "../values/evidence.js";
import { answerKeyOf } from "../values/side.js";

/** Chunk format of a chain's stream, detected from its first chunk; undefined if it must be buffered. */
export function formatOfValue(chunk: unknown, review: AnswerReview, options: AnswerOptions): ChunkFormat | undefined {
  const { guarded, readsReasoning = false } = review;
  const plain = (value: unknown): ChunkFormat | undefined => {
    if (typeof value === "string") return stringFormat;
    return AIMessageChunk.isInstance(value)
      ? messageFormat({ guarded, readsReasoning, mayAskForTools: true })
      : undefined;
  };
  const form = plain(chunk);
  if (form !== undefined || !isObject(chunk) || isMessage(chunk) || isPromptValue(chunk)) return form;
  return objectFormat({ outputKey: options.outputKey, contextKey: options.contextKey, innerOf: plain });
}

/** Graphs stream their steps and not their result in pieces, so they are asked for the result. */
export function streamsItsResult(runnable: unknown): boolean {
  if (shapeOfRunnable(runnable)?.kind === "messages") return false;
  return !isRemoteGraph(runnable);
}

function isRemoteGraph(runnable: unknown): boolean {
  if (!isObject(runnable)) return false;
  const inner =
    (runnable as PlainObject)["bound"] ?? (Array.isArray(runnable["middle"]) ? runnable["last"] : undefined);
  return "graphId" in runnable || (inner !== undefined && isRemoteGraph(inner));
}

/** Streams of strings. They have no place for a verdict. */
export const stringFormat: ChunkFormat = {
  isComposite: false,
  read(chunk) {
    if (typeof chunk !== "string") {
      throw shapeError("this stream of strings goes on with something else", chunk, "stream values of one kind");
    }
    return { text: chunk, waits: false };
  },
  release: (chunks, { texts, text }) => (texts.join("") === text ? chunks : text === "" ? [] : [text]),
  close: ({ rest }) => (rest === "" ? [] : [rest]),
  refuse: (refusal) => refusal,
  findings: () => ({}),
};

interface ObjectFormatOptions {
  readonly outputKey?: string | undefined;
  readonly contextKey?: string | undefined;
  /** The form of what stands under the answer's key; undefined when it can only be read as a whole. */
  readonly innerOf: (value: unknown) => ChunkFormat | undefined;
}

/**
 * Streams of objects, of which one key carries the answer piece by piece. The other keys wait for the verdict: a block
 * takes the evidence back, and no other key may quote the blocked text.
 */
export function objectFormat(options: ObjectFormatOptions): ChunkFormat {
  return new ObjectChunks(options);
}

class ObjectChunks implements ChunkFormat {
  readonly isComposite = true;
  readonly #options: ObjectFormatOptions;
  readonly #found: { userText?: string; relevantChunks?: readonly string[] } = {};
  #key: string | undefined;
  #inner: ChunkFormat | undefined;

  constructor(options: ObjectFormatOptions) {
    this.#options = options;
  }

  read(chunk: unknown): ChunkReading {
    if (!isObject(chunk) || isMessage(chunk)) {
      throw shapeError("this stream of objects goes on with something else", chunk, "stream values of one kind");
    }
    const { outputKey, contextKey = "context", innerOf } = this.#options;
    this.#key ??= answerKeyOf(chunk, { outputKey });
    const key = this.#key;
    const evidence = evidenceTexts(chunk[contextKey]);
    if (evidence !== undefined) this.#found.relevantChunks = evidence;
    const question = questionIn(chunk, key);
    if (question !== undefined) this.#found.userText = question;
    if (key === undefined || !Object.hasOwn(chunk, key)) return { text: "", waits: false };
    this.#inner ??= innerOf(chunk[key]);
    return this.#inner?.read(chunk[key]) ?? { text: "", waits: true };
  }

  release(chunks: readonly unknown[], main: Reviewed, reasoning: Reviewed): readonly unknown[] {
    const holding = (chunks as readonly PlainObject[]).flatMap((chunk, index) =>
      this.#answerIn(chunk).map((value) => ({ value, index })),
    );
    const own = ({ texts, text }: Reviewed): Reviewed => {
      return { texts: holding.map(({ index }) => texts[index] ?? ""), text };
    };
    const values = holding.map(({ value }) => value);
    return (this.#inner?.release(values, own(main), own(reasoning)) ?? []).map((value) => this.#wrap(value));
  }

  close(end: StreamEnd): readonly unknown[] {
    const { [this.#key ?? ""]: answer, ...extra } = end.final() as PlainObject;
    const last = this.#inner?.close({ ...end, final: () => answer }) ?? [];
    const chunks = last.map((value) => this.#wrap(value));
    return Object.keys(extra).length === 0 ? chunks : [...chunks, extra];
  }

  refuse(...[refusal, verdict, unreleased, soFar]: Parameters<ChunkFormat["refuse"]>): unknown {
    const answer: Answer = soFar();
    const refused = answer.refuse(refusal, verdict) as PlainObject;
    if (this.#inner === undefined || this.#key === undefined) return refused;
    const values = (unreleased as readonly PlainObject[]).flatMap((chunk) => this.#answerIn(chunk));
    return { ...refused, [this.#key]: this.#inner.refuse(refusal, verdict, values, soFar) };
  }

  findings(): Findings {
    return this.#found;
  }

  #answerIn(chunk: PlainObject): unknown[] {
    return this.#key !== undefined && Object.hasOwn(chunk, this.#key) ? [chunk[this.#key]] : [];
  }

  #wrap(value: unknown): PlainObject {
    return { [this.#key ?? ""]: value };
  }
}
