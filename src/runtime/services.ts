import type { ActionRegistry } from "../actions/registry.js";
import type { Colang1Program, CompiledFlow } from "../colang1/elements.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Clock } from "../engine/clock.js";
import type { EventFactory } from "../engine/event-factory.js";
import type { IdSource } from "../engine/ids.js";
import type { EngineLimits } from "../engine/limits.js";
import type { GenerationServices } from "../generation/services.js";
import type { ModelSet } from "../llm/model.js";
import type { LlmTasks } from "../llm/task.js";
import type { RailDecision } from "./decision.js";
import type { RailDialect } from "./rail-dialect.js";
import type { RailPlans } from "./rail-plans.js";
import type { RunTracker } from "./run-tracker.js";

/** What a failing rail means: a block (default), a pass, or an error for the caller. */
export type OnError = "block" | "allow" | "throw";

/** What stages of rails need, in whichever language their flows are written. */
export interface RailServices {
  readonly config: RailsConfig;
  /** Event types that some flow waits for; markers of other types are written down without asking the engine. */
  readonly awaited: ReadonlySet<string>;
  readonly railPlans: RailPlans;
  readonly rails: RailDialect;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly tracker: RunTracker;
  readonly timeoutMs: number;
  readonly onError: OnError;
  readonly onDecision?: ((decision: RailDecision) => void) | undefined;
}

/** The parts of a runtime, fixed when it is created. Nothing here changes during a call. */
export interface RuntimeServices extends RailServices {
  readonly program: Colang1Program;
  /** The flows of the program by id. */
  readonly flows: ReadonlyMap<string, CompiledFlow>;
  /** Actions of the pipeline that look things up and ask models and do nothing else; none that the user replaced. */
  readonly askingActions: ReadonlySet<string>;
  readonly registry: ActionRegistry;
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly generation: GenerationServices;
  readonly kb: unknown;
  readonly actionParams: Readonly<Record<string, unknown>>;
  readonly ids: IdSource;
  readonly createEvent: EventFactory;
  readonly warnings: readonly Diagnostic[];
}
