import { loadConfigFromContent } from "../../src/config/load/load.js";
import { createRuntime } from "../../src/runtime/create/create-runtime.js";
import { type RuntimeInput, engineLoadOptions } from "../../src/runtime/create/runtime-input.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { ScriptedLanguageModel } from "../support/language-models/scripted-language-model.js";

export interface Bench {
  readonly runtime: Runtime;
  readonly model: ScriptedLanguageModel;
}

export interface BenchInput extends Partial<Omit<RuntimeInput, "config" | "models" | "tracker">> {
  readonly colang?: string;
  readonly yaml?: string;
  readonly answers?: readonly (string | Error)[];
  /** Without a main model. */
  readonly bare?: boolean;
  /** Replaces the model that `answers` create. */
  readonly main?: ScriptedLanguageModel;
}

/** A runtime over texts, with a scripted model and the first variant of every message. */
export async function openBench(input: BenchInput): Promise<Bench> {
  const { colang, yaml, answers, bare, main, ...rest } = input;
  const model = main ?? new ScriptedLanguageModel(answers ?? []);
  const config = await loadConfigFromContent(
    { ...(colang === undefined ? {} : { colang }), yaml: yaml ?? "models: []" },
    engineLoadOptions(),
  );
  const runtime = await createRuntime({
    config,
    models: bare === true ? { byType: {} } : { main: model, byType: {} },
    tracker: silentTracker,
    pickVariant: (variants) => variants[0] ?? "",
    ...rest,
  });
  return { runtime, model };
}

/** A promise that the test settles itself. */
export function gate<Value = void>(): { promise: Promise<Value>; open: (value: Value) => void } {
  let open: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
