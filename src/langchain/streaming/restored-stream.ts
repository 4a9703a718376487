import { AIMessageChunk } from "@langchain/core/messages";
import type { PseudonymTable, RestoringPieces } from "../../actions/pseudonym-table.js";
import { isMessage } from "../values/message-kinds.js";
import { changeTexts, restoreText, type TextPath } from "../values/restore.js";
import { verdictOf } from "../verdict.js";

/**
 * Restores pseudonyms in a stream of values, also those split across chunks. For texts and messages, it holds back the
 * shortest suffix that may begin a pseudonym; for objects, the last chunk.
 *
 * @param tableOf - returns the pseudonyms that rails have created in the call so far
 */
export async function* restoreStream<Chunk>(
  chunks: AsyncIterable<Chunk>,
  tableOf: () => PseudonymTable | undefined,
): AsyncGenerator<Chunk> {
  let restorer: ChunkRestorer | undefined;
  let waiting: { readonly chunk: unknown } | undefined;
  // Chunks keep their types: only texts change.
  for await (const chunk of chunks) {
    const table = tableOf();
    if (table !== undefined) restorer ??= new ChunkRestorer(table);
    if (restorer === undefined) {
      yield chunk;
      continue;
    }
    if (waiting !== undefined) yield restorer.take(waiting.chunk, false) as Chunk;
    waiting = undefined;
    if (typeof chunk === "string") {
      const text = restorer.take(chunk, false);
      if (text !== "") yield text as Chunk;
    } else if (isMessage(chunk)) yield restorer.take(chunk, verdictOf(chunk) !== undefined) as Chunk;
    else waiting = { chunk };
  }
  if (restorer === undefined) return;
  if (waiting !== undefined) yield restorer.take(waiting.chunk, true) as Chunk;
  for (const rest of restorer.rest()) yield rest as Chunk;
}

interface OpenText {
  readonly path: TextPath;
  readonly pieces: RestoringPieces;
}

/** Pseudonyms in the texts of a stream, by the path of each text. */
export class ChunkRestorer {
  readonly #table: PseudonymTable;
  readonly #open = new Map<string, OpenText>();
  #last: unknown;

  constructor(table: PseudonymTable) {
    this.#table = table;
  }

  /** @param isLast - true if the texts of the chunk end with it */
  take(chunk: unknown, isLast: boolean): unknown {
    this.#last = chunk;
    // A refusal that replaces everything released starts over.
    if (isMessage(chunk) && verdictOf(chunk)?.replaces === true) this.#open.clear();
    return changeTexts(chunk, (text, json, path) => {
      // LangChain derives these from the pieces of calls, chunk by chunk.
      if (isMessage(chunk) && (path[0] === "tool_calls" || path[0] === "invalid_tool_calls")) {
        return restoreText(text, json, this.#table);
      }
      const { pieces } = this.#openAt(path, json);
      return pieces.push(text) + (isLast ? pieces.finish() : "");
    });
  }

  /** Returns the held-back texts as chunks. */
  *rest(): Generator<unknown> {
    for (const { path, pieces } of this.#open.values()) {
      const text = pieces.finish();
      if (text === "") continue;
      const value = path.reduceRight<unknown>(
        (inner, step) => (typeof step === "string" ? { [step]: inner } : [itemOf(step, inner)]),
        text,
      );
      yield isMessage(this.#last) ? new AIMessageChunk({ content: "", ...(value as object) }) : value;
    }
  }

  #openAt(path: TextPath, json: boolean): OpenText {
    const place = JSON.stringify(path);
    let open = this.#open.get(place);
    if (open === undefined) this.#open.set(place, (open = { path, pieces: this.#table.restoreStream({ json }) }));
    return open;
  }
}

/** Returns the array item that joins with the item of the same index. */
function itemOf({ index, type }: Exclude<TextPath[number], string>, inner: unknown): unknown {
  if (typeof inner !== "object") return inner;
  return { ...(typeof index === "number" && { index }), ...(type !== undefined && { type }), ...inner };
}
