import { loadConfig } from "../langchain/configs.js";
import { Guardrails } from "../langchain/guardrails.js";
import { MatcherEmbeddings } from "../langchain/matcher.js";
import type { GuardrailsOptions } from "../langchain/load.js";
import { railCatalog } from "../library/catalog.js";
import type { RailsConfig } from "../config/rails-config.js";
import { ConfigError } from "../diagnostics/errors.js";
import type { MatcherProgress } from "../retrieval/matcher/build-job.js";
import { scriptedModel, type ScriptedModel } from "../testing/scripted-model.js";
import type { CommandLine, Printer } from "./command-line.js";
import { ProgressBar } from "./progress-bar.js";

/** Options of commands that run turns. */
export interface OpenOptions {
  /** Replace all models with scripted ones. */
  readonly offline?: boolean;
  /** Replies of the scripted main model, in order. */
  readonly reply?: readonly string[];
  /** False: do not load the code of the configuration. */
  readonly code?: boolean;
}

/** Replies of scripted models: the next one for a model type, or undefined for the default reply. */
export interface Script {
  next(type: string): string | undefined;
}

/** Settings of a command in addition to its options. */
interface Further extends Pick<GuardrailsOptions, "threads" | "onDecision"> {
  /** Replaces all models by scripted ones with these replies. */
  readonly script?: Script | undefined;
}

/** Error codes of models with a missing key or package. */
const MISSING_MODEL: ReadonlySet<string> = new Set(["CF-113", "CF-114"]);

const PERCENT = 100;

const STAND_IN = "This reply is scripted: no model was asked.";

/**
 * Loads a configuration for turns. Models are scripted if the configuration has none, or with `offline`: the main model returns
 * `reply`, then a fixed text, judges pass, and nothing is sent to other machines.
 */
export async function openConfiguration(
  path: string,
  options: OpenOptions,
  { stderr }: Pick<CommandLine, "stderr">,
  { script = scriptOf(options.reply), ...further }: Further = {},
): Promise<Guardrails> {
  const { code: allowCode = true } = options;
  const config = await loadConfig(path, { allowCode });
  const logger = {
    warn: (message: string) => stderr.line(message, "yellow"),
    error: (message: string) => stderr.line(message, "red"),
  };
  const scripted = scriptedOptions(config, { offline: options.offline, script }, stderr);
  const bar = new ProgressBar(stderr.output);
  const onLearning = ({ total }: MatcherProgress): void => {
    if (total >= 1) bar.clear();
    else bar.show({ label: "learning the examples", done: Math.floor(total * PERCENT), total: PERCENT });
  };
  try {
    return await Guardrails.fromConfig(config, { logger, allowCode, onLearning, ...scripted, ...further });
  } catch (error) {
    const isMissing = ConfigError.isInstance(error) && error.diagnostics.every(({ code }) => MISSING_MODEL.has(code));
    if (isMissing && options.offline !== true)
      stderr.line("with --offline the configuration runs without its models", "dim");
    throw error;
  }
}

/** Returns scripted models: all models with `offline`, otherwise those that the configuration lacks. */
export function scriptedOptions(
  config: RailsConfig,
  { offline = false, script }: { readonly offline?: boolean | undefined; readonly script?: Script | undefined },
  stderr: Printer,
): Pick<GuardrailsOptions, "llm" | "models" | "embeddings"> {
  return offline || script !== undefined ? scriptedModels(config, script, stderr) : standIns(config, stderr);
}

/** Returns a script with the replies of the main model in order. The last one repeats, since a dialog turn may ask several times. */
export function scriptOf(replies: readonly string[] = []): Script | undefined {
  const left = [...replies];
  if (left.length === 0) return undefined;
  return { next: (type) => (type !== MAIN ? undefined : left.length > 1 ? left.shift() : left[0]) };
}

/** Returns scripted models for a configuration without models. */
function standIns(config: RailsConfig, stderr: Printer): Pick<GuardrailsOptions, "llm" | "models" | "embeddings"> {
  const types = new Set(config.settings.models.map(({ type }) => type));
  types.delete("embeddings");
  if (types.has(MAIN)) return {};
  const judges = types.size === 0 ? ", and rails that ask a model pass" : "";
  stderr.line(`no main model is configured: its replies are scripted${judges}`, "dim");
  return types.size === 0 ? scriptedModels(config, undefined, stderr) : { llm: scriptedType(MAIN, undefined) };
}

/** Returns scripted models that replace all models that a configuration names or that rails of the package call. */
function scriptedModels(
  config: RailsConfig,
  script: Script | undefined,
  stderr: Printer,
): Pick<GuardrailsOptions, "llm" | "models" | "embeddings"> {
  const asked = railCatalog().flatMap(({ needs: { tasks = [], modelType } = {} }) =>
    [...tasks, modelType ?? []].flat(),
  );
  const named = config.settings.models.map(({ type }) => type);
  const types = new Set([...asked, ...named].filter((type) => !NOT_JUDGES.has(type)));
  const models = Object.fromEntries([...types].map((type) => [type, scriptedType(type, script)]));
  for (const task of VALUE_TASKS) models[task] ??= scriptedValue(script, stderr);
  return { llm: scriptedType(MAIN, script), models, ...localEmbeddings(config) };
}

const MAIN = "main";
const NOT_JUDGES: ReadonlySet<string> = new Set([MAIN, "embeddings", "general"]);

function scriptedType(type: string, script: Script | undefined): ScriptedModel {
  const usual = type === MAIN ? STAND_IN : passingReply(type);
  // A single function provides every reply.
  return scriptedModel(() => script?.next(type) ?? usual, { name: "scripted" });
}

/** Tasks behind `$n = ...` in the two dialects. */
const VALUE_TASKS = ["generate_value", "generate_value_from_instruction"];

/** Replies to a flow that asks for a value; without a scripted reply, says so once. */
function scriptedValue(script: Script | undefined, stderr: Printer): ScriptedModel {
  let isReported = false;
  const reply = (): string => {
    const next = script?.next(MAIN);
    if (next === undefined && !isReported) {
      isReported = true;
      stderr.line("a flow asks the model for a value (`...`): pass it with `--reply`", "yellow");
    }
    return next ?? STAND_IN;
  };
  return scriptedModel(reply, { name: "scripted" });
}

/** Returns the reply of a judge that passes a text: "yes" for facts, "no" for harm; some models have their own format. */
function passingReply(type: string): string {
  if (type.startsWith("llama_guard")) return "safe";
  if (type.startsWith("topic_")) return "on-topic";
  if (type.startsWith("patronus_lynx")) return '{"SCORE": "PASS"}';
  return /fact|hallucination/.test(type) ? "Yes" : "No";
}

/** Returns the embedded matcher, which replaces a configured embedding model that needs a key or a download. */
export function localEmbeddings({ settings }: RailsConfig): Pick<GuardrailsOptions, "embeddings"> {
  const asked = [settings.core, settings.knowledge_base].some(
    ({ embedding_search_provider: { parameters } }) =>
      parameters.embedding_engine !== undefined || parameters.embedding_model !== undefined,
  );
  const isNamed = asked || settings.models.some(({ type }) => type === "embeddings");
  return isNamed ? { embeddings: new MatcherEmbeddings() } : {};
}
