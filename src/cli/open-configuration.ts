import { loadConfig } from "../langchain/configs.js";
import { Guardrails } from "../langchain/guardrails.js";
import { MatcherEmbeddings } from "../langchain/matcher.js";
import type { GuardrailsOptions } from "../langchain/load.js";
import { railCatalog } from "../library/catalog.js";
import type { RailsConfig } from "../config/rails-config.js";
import { ConfigError } from "../diagnostics/errors.js";
import { scriptedModel, type ScriptedModel } from "../testing/scripted-model.js";
import type { CommandLine } from "./command-line.js";

/** Options of the commands that take turns. */
export interface OpenOptions {
  /** Replace all models by scripted ones. */
  readonly offline?: boolean;
  /** Replies of the scripted main model, in order. */
  readonly reply?: readonly string[];
  /** False leaves out the code of the configuration. */
  readonly code?: boolean;
}

export interface OpenedConfiguration {
  readonly guardrails: Guardrails;
  /** Set where replies are scripted. */
  readonly offline: boolean;
}

/** Codes of models without their key or package. */
const MISSING_MODEL: ReadonlySet<string> = new Set(["CF-113", "CF-114"]);

const STAND_IN = "This reply is scripted: no model was asked.";

/**
 * Loads a configuration for turns. Without a main model, or with `offline`, models are scripted: the main model gives
 * `reply` and then one fixed text, judges pass, and nothing leaves the machine.
 */
export async function openConfiguration(
  path: string,
  options: OpenOptions,
  { stderr }: Pick<CommandLine, "stderr">,
  further: Pick<GuardrailsOptions, "threads" | "onDecision"> = {},
): Promise<OpenedConfiguration> {
  const { code: allowCode = true, reply = [] } = options;
  const isAsked = options.offline === true || reply.length > 0;
  const config = await loadConfig(path, { allowCode });
  const isOffline = isAsked || config.settings.models.every(({ type }) => type === "embeddings");
  const logger = {
    warn: (message: string) => stderr.line(message, "yellow"),
    error: (message: string) => stderr.line(message, "red"),
  };
  if (isOffline && !isAsked) {
    stderr.line("no model is configured: replies are scripted, and rails that ask a model pass", "dim");
  }
  const scripted = isOffline ? scriptedModels(config, reply) : {};
  try {
    const guardrails = await Guardrails.fromConfig(config, { logger, allowCode, ...scripted, ...further });
    return { guardrails, offline: isOffline };
  } catch (error) {
    const isMissing = ConfigError.isInstance(error) && error.diagnostics.every(({ code }) => MISSING_MODEL.has(code));
    if (isMissing) stderr.line("with --offline the configuration runs without its models", "dim");
    throw error;
  }
}

/** Scripted models in the place of all that a configuration names, and of all that rails of the package ask. */
function scriptedModels(
  config: RailsConfig,
  replies: readonly string[] = [],
): Pick<GuardrailsOptions, "llm" | "models" | "embeddings"> {
  const asked = railCatalog().flatMap(({ needs: { tasks = [], modelType } = {} }) =>
    [...tasks, modelType ?? []].flat(),
  );
  const named = config.settings.models.map(({ type }) => type);
  const types = new Set([...asked, ...named].filter((type) => !NOT_JUDGES.has(type)));
  const models = Object.fromEntries([...types].map((type) => [type, scriptedModel(passingReply(type))]));
  return { llm: mainModel(replies), models, ...localEmbeddings(config) };
}

const NOT_JUDGES: ReadonlySet<string> = new Set(["main", "embeddings", "general"]);

/** Reply of a judge that lets pass: of facts, yes; of harm, no; Llama Guard has a word of its own. */
function passingReply(type: string): string {
  if (type.startsWith("llama_guard")) return "safe";
  return /fact|hallucination/.test(type) ? "Yes" : "No";
}

/** The embedded matcher where a configuration names an embedding model, which needs a key or a download. */
export function localEmbeddings({ settings }: RailsConfig): Pick<GuardrailsOptions, "embeddings"> {
  const asked = [settings.core, settings.knowledge_base].some(
    ({ embedding_search_provider: { parameters } }) =>
      parameters.embedding_engine !== undefined || parameters.embedding_model !== undefined,
  );
  const isNamed = asked || settings.models.some(({ type }) => type === "embeddings");
  return isNamed ? { embeddings: new MatcherEmbeddings() } : {};
}

function mainModel(replies: readonly string[]): ScriptedModel {
  let given = 0;
  return scriptedModel(() => {
    given += 1;
    return replies[given - 1] ?? STAND_IN;
  });
}
