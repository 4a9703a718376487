import type { RailsConfig } from "../config/rails-config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { DiagnosticError } from "../diagnostics/errors.js";
import { loadConfig } from "../langchain/configs.js";
import { Guardrails } from "../langchain/guardrails.js";
import { scriptedModel } from "../testing/scripted-model.js";
import { localEmbeddings } from "./open-configuration.js";

/** Returns all errors and warnings of a configuration. No model is made or asked. */
export async function findProblems(
  path: string,
  options: { readonly allowCode?: boolean } = {},
): Promise<readonly Diagnostic[]> {
  const { allowCode = true } = options;
  try {
    const config = await loadConfig(path, { allowCode });
    const models = placeholders(config);
    const guardrails = await Guardrails.fromConfig(config, {
      logger: false,
      allowCode,
      models,
      ...localEmbeddings(config),
    });
    return guardrails.warnings;
  } catch (error) {
    if (DiagnosticError.isInstance(error)) return error.diagnostics;
    throw error;
  }
}

/** A model that is never asked for each that the configuration names, so that checking needs no key and no package. */
function placeholders({ settings }: RailsConfig): Readonly<Record<string, ReturnType<typeof scriptedModel>>> {
  const types = settings.models.map(({ type }) => type).filter((type) => type !== "embeddings");
  return Object.fromEntries(types.map((type) => [type, scriptedModel([])]));
}
