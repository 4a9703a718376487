import type { RailsConfig } from "../config/rails-config.js";
import type { OnError } from "../diagnostics/errors.js";
import type { Clock } from "../engine/events.js";
import type { EngineLimits } from "../engine/limits.js";
import type { CallTracer } from "../engine/span.js";
import type { AnswerCuts } from "../turn/answer.js";
import type { RailDecision } from "../turn/decision.js";
import type { ProblemSink } from "../turn/problem-log.js";
import type { RunTracker } from "../turn/run-tracker.js";
import type { RailDialect } from "./rail-dialect.js";
import type { RailPlans } from "./plan.js";

/** Words of refusals by rail and language, as the configuration asks for them. */
export interface RefusalWording {
  /**
   * Returns the text that a user sees instead of the refusal of a rail; the same text where nothing asks for another.
   *
   * @param categories - those of the rail's decision
   */
  reword(flow: string, text: string, userText: unknown, categories?: readonly string[]): string;
}

/** Dependencies of the stages of rails, for both dialects. */
export interface RailServices extends ProblemSink {
  readonly config: RailsConfig;
  /** Event types that some flow waits for; markers of other types are written down without asking the engine. */
  readonly awaited: ReadonlySet<string>;
  readonly railPlans: RailPlans;
  readonly rails: RailDialect;
  /** Services of stages that run flows of the configuration in place of listed rails. */
  readonly stages?: RailServices | undefined;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly tracker: RunTracker;
  readonly timeoutMs: number;
  readonly onError: OnError;
  /** Absent where refusals stay as flows word them. */
  readonly refusals?: RefusalWording | undefined;
  /** Opens the cuts of an answer for a rail of the scope `findings`; undefined if it needs the whole answer. */
  readonly cutsOf?: ((rail: string) => AnswerCuts | undefined) | undefined;
  readonly onDecision?: ((decision: RailDecision) => void) | undefined;
  /** Traces calls; absent where nothing is traced. */
  readonly tracer?: CallTracer | undefined;
}
