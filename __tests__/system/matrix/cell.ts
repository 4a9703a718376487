import type { RailDecision } from "../../../src/index.js";
import type { ModelReply } from "./matrix-model.js";
import { type Dialect, type Outcome, railName } from "./outcomes.js";

export const WAYS = ["invoke", "stream", "batch", "events"] as const;
export type Way = (typeof WAYS)[number];

/** Side of the conversation with the marker. */
export type Side = "input" | "output" | "evidence" | "tool call" | "tool result";

export interface CellKey {
  readonly dialect: Dialect;
  readonly outcome: Outcome;
  readonly way: Way;
  readonly side: Side;
}

/** One run of the matrix and all its observations. */
export class Cell {
  readonly dialect: Dialect;
  readonly outcome: Outcome;
  readonly way: Way;
  readonly stage: "input" | "output";
  readonly marker: string;
  /** Texts that the model, the chain or the tool after the rails received. */
  readonly shown: string[] = [];
  /** Emitted texts: results, chunks, events, errors, logs, stored states. */
  readonly left: string[] = [];
  readonly decisions: RailDecision[] = [];
  /** A rail has reviewed the marker. */
  wasReviewed = false;
  error: unknown;
  /** Response of the model after the rails. */
  reply: () => ModelReply = () => {
    throw new Error("this cell has no reply");
  };

  constructor({ dialect, outcome, way, side }: CellKey, number: number) {
    this.dialect = dialect;
    this.outcome = outcome;
    this.way = way;
    this.stage = side === "input" ? "input" : "output";
    this.marker = `zqm${String(number).padStart(5, "0")}x`;
  }

  /** The one rail of a stage, for surfaces that take a name. */
  railOf(stage: "input" | "output"): string {
    return railName(stage, this.outcome, 0);
  }

  decide(decision: RailDecision): void {
    this.decisions.push(decision);
    this.left.push(JSON.stringify(decision));
  }
}
