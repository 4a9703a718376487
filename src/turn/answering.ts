import type { LanguageModel } from "../llm/model.js";
import type { GeneratedAnswer, Generator, GeneratorRequest } from "./answer.js";

/** What tells one request from another. */
export type RequestKey = readonly unknown[];

/** How a run reaches what answers it: beginning calls ahead of the verdict, or taking over those that were begun. */
export interface Answering {
  model(model: LanguageModel): LanguageModel;
  answer(generator: Generator, request: GeneratorRequest): Promise<GeneratedAnswer>;
  /** Whether it is the run ahead of the verdict, of which nobody may hear. */
  readonly isAhead: boolean;
  /** A search that changes nothing. */
  lookup<Found>(key: RequestKey, signal: AbortSignal, search: (signal: AbortSignal) => Promise<Found>): Promise<Found>;
  /** The turn is over. */
  close(): void;
}
