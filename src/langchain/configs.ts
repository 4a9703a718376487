import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { ConfigContent } from "../config/load/load-options.js";
import { namedModelEngines } from "./models/engine-table.js";
import { languageOptions, loadContent, loadPath, GUARDRAILS_OPTIONS, type GuardrailsOptions } from "./load.js";

type LoadConfigOptions = Pick<GuardrailsOptions, "allowCode" | "models" | "llm" | "embeddings">;

const { allowCode, models, llm, embeddings } = GUARDRAILS_OPTIONS;
const OPTIONS: OptionTable<LoadConfigOptions> = { allowCode, models, llm, embeddings };

/**
 * Loads and checks a configuration (a folder, a file or text) without building a guardrails object.
 *
 * @throws ConfigError with all problems at once, each with its source location
 *
 * @example
 * ```ts
 * const both = await combineConfigs(await loadConfig("./base"), await loadConfig("./shop"));
 * const guardrails = await Guardrails.fromConfig(both);
 * ```
 */
export async function loadConfig(
  source: string | URL | ConfigContent,
  options: LoadConfigOptions = {},
): Promise<RailsConfig> {
  checkOptions("loadConfig", options, OPTIONS);
  return typeof source === "string" || source instanceof URL ? loadPath(source, options) : loadContent(source, options);
}

/**
 * Joins two configurations. Lists are concatenated, `a` first; where both set a value, that of `b` wins.
 *
 * @throws ConfigError `CF-117` if both name different models for one type, or different action servers
 */
export async function combineConfigs(a: RailsConfig, b: RailsConfig): Promise<RailsConfig> {
  const { combineConfigs: combine } = await import("../config/merge/combine.js");
  return combine(a, b, { ...(await languageOptions()), namedModelEngines: namedModelEngines() });
}

/**
 * The JSON Schema of a configuration, for editors. The package also ships it as `config.schema.json`.
 *
 * @example
 * ```ts
 * await writeFile("guardrails.schema.json", JSON.stringify(await configJsonSchema(), null, 2));
 * ```
 */
export async function configJsonSchema(): Promise<Record<string, unknown>> {
  const { configJsonSchema: schema } = await import("../config/schema/json-schema.js");
  return schema();
}
