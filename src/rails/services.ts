import type { RailsConfig } from "../config/rails-config.js";
import type { OnError } from "../diagnostics/errors.js";
import type { Clock } from "../engine/events.js";
import type { EngineLimits } from "../engine/limits.js";
import type { CallTracer } from "../engine/span.js";
import type { ResponseCuts } from "../turn/response.js";
import type { RailDecision } from "../turn/decision.js";
import type { ProblemSink } from "../turn/problem-log.js";
import type { RunTracker } from "../turn/run-tracker.js";
import type { RailDialect } from "./rail-dialect.js";
import type { RailPlans } from "./plan.js";

/** Configured refusal texts by rail and language. */
export interface RefusalWording {
  /**
   * Returns the configured text to show instead of a rail's refusal; the same text if none is configured.
   *
   * @param categories - those of the rail's decision
   */
  reword(flow: string, text: string, userText: unknown, categories?: readonly string[]): string;
}

/** Dependencies of rail stages, for both dialects. */
export interface RailServices extends ProblemSink {
  readonly config: RailsConfig;
  /** Event types that some flow waits for; other markers are logged without running the engine. */
  readonly awaited: ReadonlySet<string>;
  readonly railPlans: RailPlans;
  readonly rails: RailDialect;
  /** Dependencies for stages that run flows of the configuration instead of listed rails. */
  readonly stages?: RailServices | undefined;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly tracker: RunTracker;
  readonly timeoutMs: number;
  readonly onError: OnError;
  /** Absent if refusals stay as flows write them. */
  readonly refusals?: RefusalWording | undefined;
  /** Opens the cut points of a response for a rail of the scope `findings`; undefined if it needs the whole response. */
  readonly cutsOf?: ((rail: string) => ResponseCuts | undefined) | undefined;
  readonly onDecision?: ((decision: RailDecision) => void) | undefined;
  /** Traces calls; absent without tracing. */
  readonly tracer?: CallTracer | undefined;
}
