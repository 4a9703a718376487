import type { ActionContext } from "../../../../src/actions/action.js";
import { compileColang1 } from "../../../../src/colang1/compile.js";
import { parseColang1 } from "../../../../src/colang1/parse/parse.js";
import { printHistory } from "../../../../src/llm/print-history.js";
import { loadConfigFromContent } from "../../../../src/config/load/load.js";
import { LIBRARY_RAILS } from "../../../../src/library/manifest.js";
import { createSourceFile } from "../../../../src/diagnostics/source-file.js";
import { countingIds } from "../../../../src/engine/events.js";
import { pickFirstVariant } from "../../../../src/runtime/colang1/generation/predefined-messages.js";
import {
  createGenerationServices,
  type GenerationServices,
  type StepServices,
  stepServices,
  type Colang1Call,
} from "../../../../src/runtime/colang1/generation/services.js";
import type { LlmCallRecord } from "../../../../src/llm/task/call-model.js";
import { createTasks } from "../../../../src/llm/task/run-task.js";
import { createNgramIndex } from "../../../../src/retrieval/matcher/ngram-index.js";
import { actionContext } from "../../../actions/context.js";
import { ScriptedModel } from "../../../support/language-models/scripted-model.js";

export interface BenchOptions {
  readonly colang?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Responses of the main model; without a list there is no main model. */
  readonly llm?: readonly (string | Error)[];
  readonly call?: Colang1Call;
  readonly context?: Partial<ActionContext>;
}

export interface Bench {
  readonly model: ScriptedModel;
  readonly records: readonly LlmCallRecord[];
  readonly generation: GenerationServices;
  readonly action: ActionContext;
  readonly services: StepServices;
}

const clock = { now: () => 0 };

/** The generation services of a configuration with a scripted main model. */
export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const colang = options.colang ?? "";
  const { settings } = await loadConfigFromContent(
    { colang: "", config: { ...options.config } },
    { knownRailSettings: new Set(LIBRARY_RAILS.flatMap(({ settings }) => settings ?? [])) },
  );
  const { file } = parseColang1(createSourceFile("main.co", colang));
  const { program, diagnostics } = compileColang1({ files: [{ file, origin: "root" }] });
  if (!program) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const model = new ScriptedModel(options.llm ?? []);
  const records: LlmCallRecord[] = [];
  const tasks = createTasks({
    prompts: settings.prompts,
    promptingMode: settings.prompting_mode,
    historyPrinter: printHistory,
    instructions: settings.instructions,
    sampleConversation: settings.sample_conversation,
    lowestTemperature: settings.lowest_temperature,
    clock,
  });
  const generation = createGenerationServices({
    settings,
    program,
    createIndex: (items) => createNgramIndex({ items }),
    ids: countingIds("flow"),
    clock,
    pickVariant: pickFirstVariant,
  });
  const action = actionContext({
    config: settings,
    tasks,
    models: { ...(options.llm ? { main: model } : {}), byType: {} },
    scope: { record: (call) => void records.push(call) },
    services: { call: options.call ?? {} },
    ...options.context,
  });
  return { model, records, generation, action, services: stepServices(generation, action) };
}
