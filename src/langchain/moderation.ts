import type { Runnable } from "@langchain/core/runnables";
import type { RailStage } from "../turn/decision.js";
import { type GuardrailsCallOptions, checkTrustedKeys } from "./call.js";
import type { Host, HostSource } from "./host.js";
import { omitUndefined } from "../engine/plain-data.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { RESPONSE_OPTIONS } from "./values/response.js";
import { createHost, GUARDRAILS_OPTIONS, type GuardrailsOptions, loadContent } from "./load.js";
import { inputStep, type InputStepOptions, outputStep, type OutputStepOptions } from "./steps/review-steps.js";

/** Rails without a configuration folder. */
export interface ModerationOptions extends GuardrailsOptions {
  /** Names of the rails, as under `rails.<stage>.flows`. */
  readonly rails: readonly string[];
  /** Colang source of your own rails. */
  readonly colang?: string;
  /** Further settings, spelled as in YAML: `prompts`, `rails.config`, … */
  readonly settings?: Readonly<Record<string, unknown>>;
}

const MODERATION_OPTIONS: OptionTable<ModerationOptions> = {
  ...GUARDRAILS_OPTIONS,
  rails: "names",
  colang: "text",
  settings: "object",
};

/**
 * Input rails as a step that needs no configuration folder. The rails are compiled at the first call.
 *
 * @example
 * ```ts
 * const guarded = inputModeration({ llm, rails: ["self check input"] }).pipe(prompt).pipe(model);
 * ```
 */
export function inputModeration<T>(
  options: ModerationOptions & Pick<InputStepOptions, "inputKey">,
): Runnable<T, T, GuardrailsCallOptions> {
  checkOptions("inputModeration", options, { ...MODERATION_OPTIONS, inputKey: "text" }, ["rails"]);
  checkTrustedKeys("inputModeration", options);
  const { inputKey, onBlocked } = options;
  return inputStep<T>(hostOnce("input", options), omitUndefined({ inputKey, onBlocked }));
}

/** Output rails as a step that needs no configuration folder. */
export function outputModeration<T>(
  options: ModerationOptions & Omit<OutputStepOptions, "onBlocked">,
): Runnable<T, T, GuardrailsCallOptions> {
  checkOptions("outputModeration", options, { ...MODERATION_OPTIONS, ...RESPONSE_OPTIONS }, ["rails"]);
  const { outputKey, contextKey, keepContext, verdictKey, onBlocked } = options;
  const stepOptions = omitUndefined({ outputKey, contextKey, keepContext, verdictKey, onBlocked });
  return outputStep<T>(hostOnce("output", options), stepOptions);
}

/** One compilation for all calls; retried after a failure, since a package may have been missing. */
function hostOnce(stage: RailStage, options: ModerationOptions): HostSource {
  let made: Promise<Host> | undefined;
  const source = (): Promise<Host> =>
    (made ??= makeHost(stage, options).catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
  return Object.assign(source, { redactTraces: options.redactTraces });
}

async function makeHost(stage: RailStage, options: ModerationOptions): Promise<Host> {
  const settings = options.settings ?? {};
  const rails = (settings["rails"] ?? {}) as Readonly<Record<string, unknown>>;
  const ofStage = (rails[stage] ?? {}) as Readonly<Record<string, unknown>>;
  const config = { ...settings, rails: { ...rails, [stage]: { ...ofStage, flows: [...options.rails] } } };
  const content = { config, ...(options.colang === undefined ? {} : { colang: options.colang }) };
  return createHost(await loadContent(content, options), options);
}
