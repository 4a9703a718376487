import type { VerdictDetails } from "../actions/action.js";
import type { LlmCallRecord } from "../llm/record.js";
import type { ExecutedAction } from "../turn/result.js";

/** What a rail's actions tell while it runs. */
export interface RailNotes {
  details: VerdictDetails;
  readonly llmCalls: LlmCallRecord[];
  readonly steps: string[];
  readonly actions: ExecutedAction[];
  /** Texts that the configuration words: what else the rail says, output rails review. */
  readonly written: Set<string>;
}
