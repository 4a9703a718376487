import { isMessage, isObject, type PlainObject } from "../message-kinds.js";
import type { Answer } from "../answer.js";
import { evidenceTexts } from "../evidence.js";
import { shapeError } from "../shape-error.js";
import type { ChunkForm, ChunkReading, StreamEnd, Surroundings } from "./chunk-form.js";

const QUESTION_KEYS = ["question", "input", "query"] as const;

/**
 * Streams of objects, of which one key carries the answer piece by piece. The other keys wait for the verdict: a block
 * takes the evidence back, and nothing beside the answer may tell what was blocked.
 */
export function objectForm(key: string, inner: ChunkForm, contextKey: string): ChunkForm {
  return new ObjectForm(key, inner, contextKey);
}

class ObjectForm implements ChunkForm {
  readonly isComposite = true;
  readonly #key: string;
  readonly #inner: ChunkForm;
  readonly #contextKey: string;
  readonly #found: { userText?: string; relevantChunks?: readonly string[] } = {};

  constructor(key: string, inner: ChunkForm, contextKey: string) {
    this.#key = key;
    this.#inner = inner;
    this.#contextKey = contextKey;
  }

  read(chunk: unknown): ChunkReading {
    if (!isObject(chunk) || isMessage(chunk)) {
      throw shapeError("this stream of objects goes on with something else", chunk, "stream values of one kind");
    }
    const evidence = evidenceTexts(chunk[this.#contextKey]);
    if (evidence !== undefined) this.#found.relevantChunks = evidence;
    const question = QUESTION_KEYS.find((key) => key !== this.#key && typeof chunk[key] === "string");
    if (question !== undefined) this.#found.userText = chunk[question] as string;
    return Object.hasOwn(chunk, this.#key) ? this.#inner.read(chunk[this.#key]) : { text: "", waits: false };
  }

  release(chunks: readonly unknown[], texts: readonly string[], text: string): readonly unknown[] {
    const key = this.#key;
    const answers = (chunks as readonly PlainObject[]).flatMap((chunk, index) =>
      Object.hasOwn(chunk, key) ? [{ value: chunk[key], text: texts[index] ?? "" }] : [],
    );
    const values = answers.map(({ value }) => value);
    const own = answers.map((answer) => answer.text);
    return this.#inner.release(values, own, text).map((value) => ({ [key]: value }));
  }

  close(end: StreamEnd): readonly unknown[] {
    const { [this.#key]: answer, ...beside } = end.final() as PlainObject;
    const last = this.#inner.close({ ...end, final: () => answer });
    const chunks: PlainObject[] = last.map((value) => ({ [this.#key]: value }));
    return Object.keys(beside).length === 0 ? chunks : [...chunks, beside];
  }

  refuse(...[refusal, verdict, unreleased, soFar]: Parameters<ChunkForm["refuse"]>): unknown {
    const values = (unreleased as readonly PlainObject[]).flatMap((chunk) =>
      Object.hasOwn(chunk, this.#key) ? [chunk[this.#key]] : [],
    );
    const answer: Answer = soFar();
    const { [this.#key]: _answer, ...beside } = answer.refuse(refusal, verdict) as PlainObject;
    return { ...beside, [this.#key]: this.#inner.refuse(refusal, verdict, values, soFar) };
  }

  surroundings(): Surroundings {
    return this.#found;
  }
}
