import { AIMessageChunk } from "@langchain/core/messages";
import type { ResponseReview } from "../../turn/options.js";
import type { ResponseOptions } from "../values/response.js";
import { isMessage, isObject, isPromptValue, type PlainObject } from "../values/message-kinds.js";
import { shapeOfRunnable } from "../review/result-shape.js";
import { type ChunkFormat, type ChunkReading, type Reviewed, type StreamEnd, MessageFormat } from "./message-format.js";
import { shapeError } from "../shape-error.js";
import { EscapeWatch } from "../values/escaped-text.js";
import { evidenceTexts } from "../values/evidence.js";
import { responseKeyOf } from "../values/side.js";

/** Chunk format of a chain's stream, detected from its first chunk; undefined if it must be buffered. */
export function formatOfValue(
  chunk: unknown,
  review: ResponseReview,
  options: ResponseOptions,
): ChunkFormat | undefined {
  const { guarded, readsReasoning = false } = review;
  const plain = (value: unknown): ChunkFormat | undefined => {
    if (typeof value === "string") return new StringFormat();
    return AIMessageChunk.isInstance(value)
      ? new MessageFormat({ guarded, readsReasoning, mayAskForTools: true })
      : undefined;
  };
  const form = plain(chunk);
  if (form !== undefined || !isObject(chunk) || isMessage(chunk) || isPromptValue(chunk)) return form;
  return new ObjectFormat(options, plain);
}

/** Graphs stream their steps rather than their result, so they are invoked. */
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

/** Formats streams of strings, which cannot carry a verdict. */
export class StringFormat implements ChunkFormat {
  readonly isComposite = false;
  readonly #escapes = new EscapeWatch();

  read(chunk: unknown): ChunkReading {
    if (typeof chunk !== "string") {
      throw shapeError("expected the next chunk of a stream of strings", chunk, "stream values of one kind");
    }
    return { text: chunk, waits: this.#escapes.sees(chunk) };
  }

  release(chunks: readonly unknown[], { texts, text }: Reviewed): readonly unknown[] {
    return texts.join("") === text ? chunks : piecesOf(text);
  }

  replace(_final: unknown, { text }: { readonly text: string }): readonly unknown[] {
    return piecesOf(text);
  }

  close({ rest }: StreamEnd): readonly unknown[] {
    return piecesOf(rest);
  }

  refuse(refusal: string): unknown {
    return refusal;
  }
}

function piecesOf(text: string): readonly string[] {
  return text === "" ? [] : [text];
}

/**
 * Formats streams of objects in which one key carries the response in pieces. Other keys wait for the verdict: a block
 * drops the evidence, and no other key may quote the blocked text.
 */
export class ObjectFormat implements ChunkFormat {
  readonly isComposite = true;
  readonly #options: ResponseOptions;
  readonly #innerOf: (value: unknown) => ChunkFormat | undefined;
  relevantChunks: readonly string[] | undefined;
  #key: string | undefined;
  #inner: ChunkFormat | undefined;

  /** @param innerOf - returns the format under the response's key; undefined if the value can only be read whole */
  constructor(options: ResponseOptions, innerOf: (value: unknown) => ChunkFormat | undefined) {
    this.#options = options;
    this.#innerOf = innerOf;
  }

  read(chunk: unknown): ChunkReading {
    if (!isObject(chunk) || isMessage(chunk)) {
      throw shapeError("expected the next chunk of a stream of objects", chunk, "stream values of one kind");
    }
    const { contextKey = "context" } = this.#options;
    const key = (this.#key ??= responseKeyOf(chunk, this.#options));
    this.relevantChunks = evidenceTexts(chunk[contextKey]) ?? this.relevantChunks;
    if (key === undefined || !Object.hasOwn(chunk, key)) return { text: "", waits: false };
    this.#inner ??= this.#innerOf(chunk[key]);
    return this.#inner?.read(chunk[key]) ?? { text: "", waits: true };
  }

  release(...[chunks, main, reasoning, joined]: Parameters<ChunkFormat["release"]>): readonly unknown[] {
    const holding = (chunks as readonly PlainObject[]).flatMap((chunk, index) =>
      this.#responsesIn(chunk).map((value) => ({ value, index })),
    );
    const own = ({ texts, text }: Reviewed): Reviewed => ({
      texts: holding.map(({ index }) => texts[index] ?? ""),
      text,
    });
    const values = holding.map(({ value }) => value);
    return (this.#inner?.release(values, own(main), own(reasoning), joined) ?? []).map((value) => this.#wrap(value));
  }

  close(end: StreamEnd): readonly unknown[] {
    const { [this.#key ?? ""]: response, ...extra } = end.final() as PlainObject;
    const last = this.#inner?.close({ ...end, final: () => response }) ?? [];
    const chunks = last.map((value) => this.#wrap(value));
    return Object.keys(extra).length === 0 ? chunks : [...chunks, extra];
  }

  refuse(...[refusal, verdict, unreleased, soFar]: Parameters<ChunkFormat["refuse"]>): unknown {
    const refused = soFar().refuse(refusal, verdict) as PlainObject;
    if (this.#inner === undefined || this.#key === undefined) return refused;
    const values = (unreleased as readonly PlainObject[]).flatMap((chunk) => this.#responsesIn(chunk));
    return { ...refused, [this.#key]: this.#inner.refuse(refusal, verdict, values, soFar) };
  }

  #responsesIn(chunk: PlainObject): unknown[] {
    return this.#key !== undefined && Object.hasOwn(chunk, this.#key) ? [chunk[this.#key]] : [];
  }

  #wrap(value: unknown): PlainObject {
    return { [this.#key ?? ""]: value };
  }
}
