import type { ActionRegistry } from "../../actions/registry.js";
import type { Colang2Program } from "../../colang2/program.js";
import type { Colang2Generation } from "./generation/services.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { ModelSet } from "../../llm/model.js";
import type { LlmTasks } from "../../llm/task/task.js";
import type { RailServices } from "../../rails/services.js";
import type { EventSource } from "./complete-event.js";

/** The parts of a Colang 2.x runtime, fixed when it is created. Nothing here changes during a call. */
export interface Colang2Services extends RailServices {
  readonly program: Colang2Program;
  /** Texts that flows say literally. */
  readonly writtenTexts: ReadonlySet<string>;
  /** Whether the configuration has a dialog, and is not rails alone. */
  readonly hasDialog: boolean;
  /** For stages on their own: the flows `input rails` and `output rails` of the configuration count as listed. */
  readonly stages: RailServices;
  /** Flows of the configuration that stand where its listed rails could: `input rails`, `output rails`. */
  readonly ownRailFlows: ReadonlySet<string>;
  readonly registry: ActionRegistry;
  /** What actions that generate are made of, for the stages of the dialog on their own. */
  readonly generation: Colang2Generation;
  /** Our own actions that look things up and ask models and do nothing else, as flows name them. */
  readonly askingActions: ReadonlySet<string>;
  /** Actions that compete with nothing, as flows name them. */
  readonly neutralActions: { has(name: string): boolean };
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly kb: unknown;
  readonly actionParams: Readonly<Record<string, unknown>>;
  readonly events: EventSource;
  readonly instantActions: ReadonlySet<string>;
  readonly warnings: readonly Diagnostic[];
}
