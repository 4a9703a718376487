import type { RailsConfig } from "../config/rails-config.js";
import type { Clock } from "../engine/clock.js";
import type { EngineLimits } from "../engine/limits.js";
import type { RailDecision } from "../turn/decision.js";
import type { ProblemSink } from "../turn/problem-log.js";
import type { RunTracker } from "../turn/run-tracker.js";
import type { RailDialect } from "./rail-dialect.js";
import type { RailPlans } from "./plan.js";

/** What a failing rail means: a block (default), a pass, or an error for the caller. */
export type OnError = "block" | "allow" | "throw";

/** What stages of rails need, in whichever language their flows are written. */
export interface RailServices extends ProblemSink {
  readonly config: RailsConfig;
  /** Event types that some flow waits for; markers of other types are written down without asking the engine. */
  readonly awaited: ReadonlySet<string>;
  readonly railPlans: RailPlans;
  readonly rails: RailDialect;
  /** Where flows of the configuration stand for listed rails: the services of stages that run them as rails. */
  readonly stages?: RailServices | undefined;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly tracker: RunTracker;
  readonly timeoutMs: number;
  readonly onError: OnError;
  readonly onDecision?: ((decision: RailDecision) => void) | undefined;
}
