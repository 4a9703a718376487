import type { ActionRegistry } from "../../actions/registry.js";
import type { Colang1Program, CompiledFlow } from "../../colang1/elements.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { EventFactory } from "../../engine/event-factory.js";
import type { IdSource } from "../../engine/ids.js";
import type { GenerationServices } from "./generation/services.js";
import type { ModelSet } from "../../llm/model.js";
import type { LlmTasks } from "../../llm/task/task.js";
import type { RailServices } from "../../rails/services.js";

/** The parts of a runtime, fixed when it is created. Nothing here changes during a call. */
export interface RuntimeServices extends RailServices {
  readonly program: Colang1Program;
  /** Texts that flows give to events literally. */
  readonly writtenTexts: ReadonlySet<string>;
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
