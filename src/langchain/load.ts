import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { BaseRetriever } from "@langchain/core/retrievers";
import type { Runnable } from "@langchain/core/runnables";
import type { ConfigContent, LoadOptions } from "../config/load/load-options.js";
import type { RailsConfig } from "../config/rails-config.js";
import { omitUndefined } from "../engine/plain-data.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { ON_BLOCKED, type OptionTable } from "../diagnostics/options.js";
import { isLogger, type Logger } from "../diagnostics/logger.js";
import type { SharedVerdictsOptions } from "../library/judges/shared-verdicts.js";
import type { RailManifest } from "../library/rail-manifest.js";
import type { ToolRules } from "../library/tool-rules.js";
import type { MatcherProgress } from "../retrieval/matcher/build-job.js";
import type { RailDecision } from "../turn/decision.js";
import type { ThreadStore } from "../threads/thread-store.js";
import { logWarnings } from "../turn/problem-log.js";
import { streamPlan, type StreamingOptions } from "../turn/stream-plan.js";
import type { OwnActions } from "../runtime/create/own-actions.js";
import type { Tracing } from "../tracing/tracing.js";
import type { OnBlocked } from "./blocked.js";
import { callbackTracker, type RawTokens } from "./callbacks.js";
import { runInContext } from "./run-with-config.js";
import { graphThreads } from "./threads/thread-stores.js";
import type { Host } from "./host.js";
import type { VectorStoreOptions, VectorStoreSource } from "./retrieval/knowledge-sources.js";
import { isObject } from "./values/message-kinds.js";
import { UNSEEN_OPTIONS, type UnseenPolicy } from "./values/unseen.js";
import { quarantineModel } from "./isolation/quarantine-model.js";
import { namedModelEngines } from "./models/engine-table.js";
import { buildEmbeddings, buildModels, type EngineFactory } from "./models/model-providers.js";
import { loadConfigFromContent, loadConfigFromPath } from "../config/load/load.js";
import { createRuntime } from "../runtime/create/create-runtime.js";
import { engineLoadOptions } from "../runtime/create/runtime-input.js";

export type { GuardrailsApp } from "../runtime/create/app.js";

/** Options of `Guardrails.fromPath` and `Guardrails.fromConfig`. */
export interface GuardrailsOptions {
  /**
   * Main model. Replaces the configuration's model of type `main`, and no other. In calls of `wrap(model)`, that model is the main
   * model, also for judges without a model of their own.
   */
  readonly llm?: Runnable;
  /** Models by type, such as `self_check_input`. They replace those of the configuration. */
  readonly models?: Readonly<Record<string, Runnable>>;
  /** Factories for your own engines, by the name that `models[].engine` uses. */
  readonly engines?: Readonly<Record<string, EngineFactory>>;
  /** Embeddings that replace the configuration's embedding model. */
  readonly embeddings?: EmbeddingsInterface;
  /**
   * Vector store for the dialog and the documents of `kb/`: a store, a function that creates one from the
   * embeddings (called for each index), or an object with one for each. Default: `MemoryVectorStore` if there are embeddings.
   */
  readonly vectorStore?: VectorStoreSource | VectorStoreOptions;
  /** Retriever that is used as the knowledge base instead of `kb/`. It receives the user's message. */
  readonly retriever?: BaseRetriever;
  /** Custom actions by name: functions, LangChain tools, runnables. */
  readonly actions?: Readonly<Record<string, unknown>>;
  /** LangChain tools as actions, under their own names. */
  readonly tools?: readonly unknown[];
  /**
   * Rails of your own or of other packages, made with `defineRail`. List their flows in the configuration like built-in ones, and
   * put their settings under `rails.config`.
   */
  readonly library?: readonly RailManifest[];
  /** Rules for arguments and results of tools, added to those in `rails.config.tools`. */
  readonly toolRules?: ToolRules;
  /** Values that actions receive as parameters, by name. */
  readonly actionParams?: Readonly<Record<string, unknown>>;
  /**
   * Store of conversations, by `configurable.thread_id`. Default: the store of the surrounding LangGraph graph, or memory
   * without one.
   */
  readonly threads?: ThreadStore;
  /** Overrides the setting `parallel` of all stages. */
  readonly parallel?: boolean;
  /** Time limit in milliseconds of each rail and each call to the thread store. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Effect of a block. Default: wrappers and output steps refuse, input and retrieval steps throw. */
  readonly onBlocked?: OnBlocked;
  /** Effect of a failing rail. Default: `block`. */
  readonly onError?: "block" | "allow" | "throw";
  /**
   * Receives the progress of the embedded matcher, which learns the examples with the first message that needs it.
   * If the callback throws, that turn fails.
   */
  readonly onLearning?: (progress: MatcherProgress) => void;
  /** Called with every decision of a rail as soon as it is made. */
  readonly onDecision?: (decision: RailDecision) => void;
  /**
   * Traces of calls, made with `createTracing` of `langchain-guardrails/tracing`. `false` traces nothing. Default: the sections
   * `tracing` and `metrics` of the configuration.
   *
   * @example
   * ```ts
   * const tracing = createTracing({ sinks: [consoleTraces()] });
   * const guardrails = await Guardrails.fromPath("config", { tracing });
   * ```
   */
  readonly tracing?: Tracing | false;
  /**
   * Receives warnings of the configuration and the causes of failed rails, flows and actions, each once per process. Texts of
   * users and models are never logged. `false` logs nothing. Default: `console`.
   *
   * @example
   * ```ts
   * const guardrails = await Guardrails.fromPath("config", { logger: { warn: log.warn, error: log.error } });
   * ```
   */
  readonly logger?: Logger | false;
  /**
   * Treatment of earlier user messages that the application sends again. `rewrite` runs rewriting input rails on them, and hides
   * messages that were refused. `review` runs all input rails, also on pictures, and hides what they block. `trust` leaves them unchanged.
   * Default: `rewrite`.
   */
  readonly history?: "rewrite" | "review" | "trust";
  /** Accept messages of the role `context`, which set variables, in `invoke` and `stream`. Default: false. */
  readonly allowContextMessages?: boolean;
  /** Accept messages of the role `event`, which reach the engine, in `invoke` and `stream`. Default: false. */
  readonly allowEventMessages?: boolean;
  /** Load code modules of the configuration. Default: true. */
  readonly allowCode?: boolean;
  /**
   * Folders whose code may be loaded, in addition to the folder passed to `fromPath`. From other folders, such as those under
   * `import_paths`, only settings and flows are loaded, and code is refused.
   */
  readonly codeFolders?: readonly string[];
  /**
   * Folder that caches compiled Colang 1.0 and what the embedded matcher learned, for later processes. It is created if it is
   * missing, and its size is bounded. Files that are damaged or of another release are ignored. A folder that cannot be used is
   * reported, but nothing fails. Protect it like the configuration: anyone who can write to it can change the flows. Default: no
   * cache.
   *
   * @example
   * ```ts
   * const guardrails = await Guardrails.fromPath("config", { cacheDir: ".cache/guardrails" });
   * ```
   */
  readonly cacheDir?: string;
  /**
   * Store of verdicts that processes share, in addition to `rails.cache` in memory. Default: the Redis store of
   * `rails.cache.shared`, if that is set.
   */
  readonly sharedVerdicts?: SharedVerdictsOptions;
  /** Overrides `rails.output.streaming` of the configuration. Default: release in windows. */
  readonly streaming?: StreamingOptions;
  /** `allow` shows token handlers the tokens of wrapped models before their review. Default: `suppress`. */
  readonly rawTokens?: RawTokens;
  /**
   * Keeps texts out of traces. With `true`, handlers and tracers see this package's runs and all runs inside them with
   * names, tags, times, costs and verdicts, but without messages, prompts, completions, arguments and results of tools,
   * documents and error messages. Token handlers receive tokens without text. The output of `stream`, `streamEvents` and graphs
   * does not change. Default: false.
   *
   * Not redacted: enclosing runs (the sequence around a guarded step, the graph around a node); names, tags and metadata that
   * the caller passed; output of a model with `verbose: true`; logs of tools, of actions and of the provider's client, and HTTP
   * instrumentation; errors that the caller catches; checkpoints, thread stores and caches. `docs/decisions` describes a fix for
   * each.
   *
   * @example
   * ```ts
   * const guardrails = await Guardrails.fromPath("config", { redactTraces: true });
   * ```
   */
  readonly redactTraces?: boolean;
  /**
   * Treatment of parts that no rail can read: pictures, sounds, files, artifacts, other keys of an object. `block` refuses
   * the value, `report` lists the parts in the decision `unseen parts`, and `allow` does nothing. Default: known kinds of parts
   * are reported, and unknown ones block.
   */
  readonly unseen?: UnseenPolicy;
  /**
   * Keys of an input object that the application fills itself, such as `format_instructions`. Input rails skip them,
   * and read all other keys with the user's text. Flows can read them as `$input.<key>`. Default: none.
   */
  readonly trustedKeys?: readonly string[];
}

/** Options of `Guardrails.preset`. */
export interface PresetOptions extends GuardrailsOptions {
  /** Settings merged over those of the preset, spelled as in YAML. Default: none. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/** Options of `fromPath`, `fromConfig` and the moderation steps. */
export const GUARDRAILS_OPTIONS: OptionTable<GuardrailsOptions> = {
  llm: "object",
  models: "object",
  engines: "object",
  embeddings: "object",
  vectorStore: "any",
  retriever: "object",
  actions: "object",
  library: "list",
  tools: "list",
  toolRules: "object",
  actionParams: "object",
  threads: "object",
  parallel: "boolean",
  timeoutMs: "number",
  onBlocked: ON_BLOCKED,
  onError: { oneOf: ["block", "allow", "throw"] },
  onLearning: "function",
  onDecision: "function",
  tracing: "any",
  logger: "any",
  history: { oneOf: ["rewrite", "review", "trust"] },
  allowContextMessages: "boolean",
  allowEventMessages: "boolean",
  allowCode: "boolean",
  codeFolders: "names",
  cacheDir: "text",
  sharedVerdicts: "object",
  streaming: "any",
  rawTokens: "any",
  redactTraces: "boolean",
  ...UNSEEN_OPTIONS,
  trustedKeys: "names",
};

/** The languages and default prompts that loading a configuration needs. */
export async function languageOptions(): Promise<
  Pick<LoadOptions, "colangImports" | "builtInTasks" | "knownRailSettings" | "presets">
> {
  return engineLoadOptions();
}

/** Loads a configuration from a folder or a file, with the options of `Guardrails.fromPath`. */
export async function loadPath(
  path: string | URL,
  options: GuardrailsOptions,
  limits: Pick<LoadOptions, "codeAlone"> = {},
): Promise<RailsConfig> {
  return loadConfigFromPath(path, { ...(await languageOptions()), ...(await loadOptions(options)), ...limits });
}

/** Loads a configuration from text or objects; one that is loaded already is returned unchanged. */
export async function loadContent(
  config: ConfigContent | RailsConfig,
  options: GuardrailsOptions,
  limits: Pick<LoadOptions, "readsDisk" | "code"> = {},
): Promise<RailsConfig> {
  if (isLoaded(config)) return config;
  return loadConfigFromContent(config, { ...(await languageOptions()), ...(await loadOptions(options)), ...limits });
}

/** Loads the actions of a folder and of the application, without a runtime. */
export async function loadActions(
  path: string | URL | undefined,
  options: Pick<GuardrailsOptions, "actions" | "tools" | "actionParams" | "allowCode" | "codeFolders">,
): Promise<OwnActions> {
  const { collectOwnActions } = await import("../runtime/create/own-actions.js");
  const config =
    path === undefined
      ? await loadContent({ config: {} }, options)
      : await loadPath(path, options, { codeAlone: true });
  return collectOwnActions(config, options);
}

/** Compiles a configuration and makes its models. */
export async function createHost(config: RailsConfig, options: GuardrailsOptions): Promise<Host> {
  const { llm, vectorStore, retriever, threads } = options;
  const { onBlocked, allowContextMessages, allowEventMessages, redactTraces, unseen, trustedKeys } = options;
  const { history = "rewrite", rawTokens = "suppress" } = options;
  const embeddings = options.embeddings ?? (await buildEmbeddings(config, "core"));
  const knowledgeEmbeddings = options.embeddings ?? (await buildEmbeddings(config, "knowledge_base"));
  const logger = readLogger(options.logger);
  const streaming = streamPlan(config, options.streaming);
  const tracing = await openTracing(config, options.tracing, logger);
  // INVARIANT: `redactTraces` applies to these traces, too.
  const tracer = redactTraces === true ? tracing?.withoutContent() : tracing;
  const has = { dialog: embeddings !== undefined, knowledge: knowledgeEmbeddings !== undefined };
  // The embedded matcher needs no index, so none is loaded for it.
  const looksUp = vectorStore !== undefined || retriever !== undefined || has.dialog || has.knowledge;
  const lookups = looksUp ? await import("./retrieval/knowledge-sources.js") : undefined;
  const isSharing = options.sharedVerdicts !== undefined || config.settings.rails.cache.shared.url_env_var !== null;
  const sharing = isSharing ? await import("./shared-verdicts.js") : undefined;
  const sharedVerdicts = await sharing?.openSharedVerdicts(config, options.sharedVerdicts);
  const runtime = await createRuntime({
    config,
    stream: streaming,
    // Code modules may register engines; those of the caller take precedence.
    models: (app) => {
      const brought = Object.fromEntries(app.engines) as unknown as Readonly<Record<string, EngineFactory>>;
      const main = llm && { llm: quarantineModel(llm, { rawTokens, redactTraces }) };
      return buildModels(config, { ...options, ...main, engines: { ...brought, ...options.engines } });
    },
    tracker: callbackTracker,
    runWithConfig: runInContext,
    loadModule: (path) => import(path),
    ...lookups?.createLookups(vectorStore, retriever, has),
    ...runtimeOptions(options),
    ...omitUndefined({ embeddings, knowledgeEmbeddings, logger, tracer, sharedVerdicts }),
    ...(threads === undefined ? { threadsOf: graphThreads(logger) } : { threads }),
  });
  logWarnings(logger, runtime.warnings);
  const messages = { history, allowContextMessages, allowEventMessages, unseen, trustedKeys };
  const { timeout_ms: stallMs } = config.settings.actions;
  return { runtime, logger, onBlocked, rawTokens, redactTraces, ...messages, streaming, stallMs };
}

/** Options that the runtime takes as they are. */
function runtimeOptions(options: GuardrailsOptions) {
  const { actions, library, tools, toolRules, actionParams, parallel } = options;
  const { timeoutMs, onError, onDecision, onLearning, cacheDir } = options;
  const own = { actions, library, tools, toolRules, actionParams, parallel };
  return omitUndefined({ ...own, timeoutMs, onError, onDecision, onLearning, cacheDir });
}

/** @throws ConfigError for a value that `createTracing` did not make */
async function openTracing(
  { settings }: RailsConfig,
  given: unknown,
  logger: Logger | undefined,
): Promise<Tracing | undefined> {
  const isAsked = settings.tracing.enabled || settings.metrics.enabled;
  if (given === false || (given === undefined && !isAsked)) return undefined;
  if (given === undefined) {
    return (await import("../tracing/from-settings.js")).tracingFromSettings(settings, logger);
  }
  if (isObject(given) && typeof given["withoutContent"] === "function") return given as unknown as Tracing;
  const message = "expected the result of `createTracing`, or `false`";
  throw new ConfigError([createDiagnostic("CF-104", message, { path: "options.tracing" })]);
}

/** @throws ConfigError for a value that is not a logger */
function readLogger(logger: unknown): Logger | undefined {
  if (logger === undefined) return console;
  if (logger === false) return undefined;
  if (isLogger(logger)) return logger;
  const message = "expected a logger with the methods `warn` and `error`, or `false`";
  throw new ConfigError([createDiagnostic("CF-104", message, { path: "options.logger" })]);
}

async function loadOptions(options: GuardrailsOptions): Promise<LoadOptions> {
  const { models, llm, embeddings, engines, allowCode, codeFolders } = options;
  const supplied = { ...models, ...(llm && { main: llm }), ...(embeddings && { embeddings }) };
  return {
    suppliedModels: Object.keys(supplied),
    namedModelEngines: namedModelEngines(engines),
    ownRailSettings: (options.library ?? []).flatMap(({ settings: key }) => key ?? []),
    ...omitUndefined({ allowCode, codeFolders }),
  };
}

function isLoaded(config: ConfigContent | RailsConfig): config is RailsConfig {
  try {
    return isObject(config) && (config as { kind?: unknown }).kind === "RailsConfig";
  } catch {
    // Reading the configuration reports its errors.
    return false;
  }
}
