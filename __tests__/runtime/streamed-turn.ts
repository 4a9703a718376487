import type { TurnOptions } from "../../src/turn/options.js";
import { type Piece, StreamingLanguageModel } from "../support/language-models/streaming-language-model.js";
import { openBench } from "./bench.js";

export interface StreamedTurn {
  readonly streams: readonly (readonly Piece[])[];
  readonly answers?: readonly string[];
  readonly yaml?: string;
  readonly colang: string;
  readonly options?: TurnOptions;
  readonly actions?: Readonly<Record<string, unknown>>;
}

/** Runs one turn with a model that streams; `records` are its calls. */
export async function playStreamedTurn(content: string, { streams, answers, options, ...input }: StreamedTurn) {
  const model = new StreamingLanguageModel(streams, answers);
  const { runtime } = await openBench({ main: model, ...input });
  const log = { internalEvents: true, llmCalls: true };
  const result = await runtime.turn([{ role: "user", content }], { log, ...options });
  return { result, model, records: result.log.llmCalls ?? [] };
}
