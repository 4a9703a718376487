import type { ModelCallScope, ModelParameters, ModelPiece, ModelPrompt } from "../../../src/llm/model.js";
import { promptText, ScriptedLanguageModel } from "./scripted-language-model.js";

/** A piece of a reply: a text, an error to throw, or a wait until the call is aborted. */
export type Piece = string | Error | typeof STALL | typeof DEAF;

/** The stream stalls. */
export const STALL = Symbol("stall");

/** The same for a model that ignores signals. */
export const DEAF = Symbol("deaf");

/** A model that streams one list of parts per call, and counts its calls. */
export class StreamingLanguageModel extends ScriptedLanguageModel {
  readonly streamed: { readonly text: string; readonly parameters: ModelParameters; readonly pieces: string[] }[] = [];
  /** Number of streams that ended because of their signal. */
  aborted = 0;
  readonly #streams: (readonly Piece[])[];

  /** @param answers - for calls that are not streamed */
  constructor(streams: readonly (readonly Piece[])[], answers: readonly string[] = []) {
    super(answers);
    this.#streams = [...streams];
  }

  override get left(): number {
    return super.left + this.#streams.length;
  }

  async *stream(prompt: ModelPrompt, parameters: ModelParameters, scope: ModelCallScope): AsyncGenerator<ModelPiece> {
    const pieces = this.#streams.shift();
    if (pieces === undefined) throw new Error(`a stream that the script does not expect:\n${promptText(prompt)}`);
    const call = { text: promptText(prompt), parameters, pieces: [] as string[] };
    this.streamed.push(call);
    for (const piece of pieces) {
      if (scope.signal?.aborted) {
        this.aborted += 1;
        throw scope.signal.reason as Error;
      }
      if (piece instanceof Error) throw piece;
      if (piece === DEAF) await new Promise(() => undefined);
      else if (piece === STALL) await this.#abortOf(scope.signal);
      else {
        call.pieces.push(piece);
        yield { text: piece };
      }
    }
    yield { text: "", usage: { input_tokens: 2, output_tokens: 1, total_tokens: 3 }, modelName: "streaming" };
  }

  #abortOf(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_resolve, reject) => {
      const onAbort = (): void => {
        this.aborted += 1;
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
