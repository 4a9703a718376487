import type { BaseMessage } from "@langchain/core/messages";
import type { Runnable } from "@langchain/core/runnables";
import { LRUCache } from "lru-cache";
import type { RailsConfig } from "../config/rails-config.js";
import { createDiagnostic, type Diagnostic } from "../diagnostics/diagnostic.js";
import type { Span } from "../diagnostics/source-file.js";
import { ConfigError, DiagnosticError } from "../diagnostics/errors.js";
import type { Logger } from "../diagnostics/logger.js";
import { type GuardedChatModel } from "../langchain/guarded-chat-model.js";
import { type ChatModelLike, Guardrails } from "../langchain/guardrails.js";
import { type Host, hostOf } from "../langchain/host.js";
import { combineConfigs } from "../langchain/configs.js";
import { loadContent, loadPath, type GuardrailsOptions } from "../langchain/load.js";
import { isChatModel, traitsOf } from "../langchain/models/model-traits.js";
import type { ServedConfig, ServedFolder } from "./options.js";
import { UpstreamPools } from "./upstream/client.js";
import { forwardingModel } from "./upstream/engine.js";
import { ForwardingChatModel } from "./upstream/forwarding-model.js";

/** A loaded configuration. */
export interface Served {
  readonly id: string;
  readonly guardrails: Guardrails;
  readonly host: Host;
  /** Responds to messages through all rails. */
  readonly target: GuardedChatModel | Runnable<BaseMessage[], BaseMessage>;
  /** Name of the main model; undefined for a configuration without one. */
  readonly modelName: string | undefined;
  /** True if request parameters are forwarded to the model unchanged. */
  readonly forwards: boolean;
}

/** Pattern of a configuration id. An id is a key and never a path. */
export const CONFIG_ID = /^[A-Za-z0-9][\w.-]{0,127}$/;

const MAX_COMBINED = 16;

/** Settings that prevent a changed configuration from writing files. */
const NO_CACHE = { embedding_search_provider: { cache: { enabled: false } } };
const WRITES_NOTHING = { core: NO_CACHE, knowledge_base: NO_CACHE };

/** Returns the problem with the id of its configuration, since the files of several have the same names. */
function placedIn(id: string, problem: Diagnostic): Diagnostic {
  const { span, path } = problem;
  const source = span && { ...span.source, name: `${id}/${span.source.name}` };
  return {
    ...problem,
    ...(span === undefined ? {} : { span: { ...span, source } as Span }),
    ...(path === undefined ? {} : { path: `${path} of \`${id}\`` }),
  };
}

/** The configurations of a server. Each is replaced as a whole: a request keeps the one that it started with. */
export class ServedConfigs {
  readonly #sources: ReadonlyMap<string, ServedConfig>;
  readonly #shared: GuardrailsOptions;
  readonly #pools = new UpstreamPools();
  readonly #loggers = new Map<string, Logger>();
  #served: ReadonlyMap<string, Served> = new Map();
  /** Combinations that requests have used. */
  readonly #combined = new LRUCache<string, Promise<Served | undefined>>({ max: MAX_COMBINED });

  private constructor(sources: ReadonlyMap<string, ServedConfig>, shared: GuardrailsOptions) {
    this.#sources = sources;
    this.#shared = shared;
  }

  /** @throws ConfigError for an invalid id, or a configuration that cannot be loaded */
  static async load(
    configs: Readonly<Record<string, ServedConfig>>,
    shared: GuardrailsOptions,
  ): Promise<ServedConfigs> {
    const sources = new Map(Object.entries(configs));
    const wrong = [...sources.keys()].find((id) => !CONFIG_ID.test(id));
    if (wrong !== undefined || sources.size === 0) {
      const message =
        wrong === undefined
          ? "expected at least one configuration to serve"
          : `\`${wrong.slice(0, 60)}\` is not a valid id of a configuration`;
      const hint = "an id has letters, digits, `.`, `_` and `-`, and begins with a letter or digit";
      throw new ConfigError([createDiagnostic("CF-104", message, { path: "options.configs", hint })]);
    }
    const made = new ServedConfigs(sources, shared);
    await made.reload();
    return made;
  }

  get ids(): readonly string[] {
    return [...this.#served.keys()];
  }

  get(id: string): Served | undefined {
    return this.#served.get(id);
  }

  /**
   * Reloads configurations. Those that fail stay unchanged.
   *
   * @param id - default: all configurations
   * @throws ConfigError for a configuration that cannot be loaded, after all others have been replaced
   */
  async reload(id?: string): Promise<void> {
    const ids = id === undefined ? [...this.#sources.keys()] : [id];
    const errors: unknown[] = [];
    const problems: Diagnostic[] = [];
    this.#combined.clear();
    for (const configId of ids) {
      const source = this.#sources.get(configId);
      if (source === undefined) continue;
      try {
        const served = await this.#serve(configId, source);
        this.#served = new Map([...this.#served, [configId, served]]);
      } catch (error) {
        errors.push(error);
        if (DiagnosticError.isInstance(error))
          problems.push(...error.diagnostics.map((problem) => placedIn(configId, problem)));
      }
    }
    const isOne = errors.length === 1 && this.#sources.size === 1;
    if (errors.length > 0) throw isOne || problems.length === 0 ? errors[0] : new ConfigError(problems);
  }

  /**
   * Merges several configurations, the leftmost first; undefined if one of them is not served or has no folder. Options of the
   * folders are merged in the same order.
   */
  combined(ids: readonly string[]): Promise<Served | undefined> {
    const key = JSON.stringify(ids);
    const known = this.#combined.get(key);
    if (known !== undefined) return known;
    const made = this.#combine(ids);
    this.#combined.set(key, made);
    // After a failure, the next request tries again.
    made.catch(() => this.#combined.delete(key));
    return made;
  }

  async #combine(ids: readonly string[]): Promise<Served | undefined> {
    const folders = ids.flatMap((id) => folderOf(this.#sources.get(id)) ?? []);
    const [first, ...others] = folders;
    if (first === undefined || folders.length < ids.length) return undefined;
    const options: GuardrailsOptions = Object.assign(
      { allowCode: false },
      this.#shared,
      ...folders.map((folder) => folder.options),
    );
    let config = await loadPath(first.path, options);
    for (const { path } of others) config = await combineConfigs(config, await loadPath(path, options));
    const model = folders.find((folder) => folder.model !== undefined)?.model;
    return this.#wrap(ids.join("+"), await this.#guard(config, options, model));
  }

  /** Path of a configuration; undefined for a guardrails object. */
  pathOf(id: string): string | URL | undefined {
    return folderOf(this.#sources.get(id))?.path;
  }

  /**
   * Creates a guardrails object from changed files, with the options and the code of the served configuration. INVARIANT: the
   * files contain no code, import nothing from the disk, and write nothing to it.
   *
   * @throws DiagnosticError for invalid files
   */
  async changed(id: string, files: Readonly<Record<string, string>>): Promise<Guardrails> {
    const folder = folderOf(this.#sources.get(id));
    const code = this.#served.get(id)?.guardrails.config.code;
    const { cacheDir: _cacheDir, ...given } = { ...this.#shared, ...folder?.options };
    const options: GuardrailsOptions = { ...given, allowCode: false, tracing: false };
    const config = await loadContent({ files, config: WRITES_NOTHING }, options, {
      readsDisk: false,
      ...(code === undefined ? {} : { code }),
    });
    return this.#guard(config, options, folder?.model);
  }

  /** Closes the connections to upstream servers. */
  close(): Promise<void> {
    return this.#pools.close();
  }

  async #serve(id: string, source: ServedConfig): Promise<Served> {
    const folder = folderOf(source);
    if (folder === undefined) return this.#wrap(id, source as Guardrails);
    const logger = this.#loggerOf(id);
    const shared = logger === undefined ? this.#shared : { ...this.#shared, logger };
    const options: GuardrailsOptions = { allowCode: false, ...shared, ...folder.options };
    return this.#wrap(id, await this.#guard(await loadPath(folder.path, options), options, folder.model));
  }

  /** Returns a logger whose lines name the configuration; undefined if it is the only one. */
  #loggerOf(id: string): Logger | undefined {
    const { logger } = this.#shared;
    if (logger === undefined || logger === false || this.#sources.size === 1) return undefined;
    const known = this.#loggers.get(id) ?? withPrefix(logger, id);
    this.#loggers.set(id, known);
    return known;
  }

  /** Creates a guardrails object whose main model forwards calls, if its engine implements OpenAI's API. */
  #guard(config: RailsConfig, options: GuardrailsOptions, model: Runnable | undefined): Promise<Guardrails> {
    const main = config.settings.models.find(({ type }) => type === "main");
    const isOwnEngine = main !== undefined && Object.hasOwn(options.engines ?? {}, main.engine);
    const forwarding = main === undefined || isOwnEngine ? undefined : forwardingModel(main, this.#pools);
    const llm = model ?? options.llm ?? forwarding;
    return Guardrails.fromConfig(config, llm === undefined ? options : { ...options, llm });
  }

  #wrap(id: string, guardrails: Guardrails): Served {
    const host = hostOf(guardrails);
    const main = host.runtime.main?.native as Runnable | undefined;
    const modelName = main === undefined ? undefined : traitsOf(main).name;
    const wraps = main !== undefined && isChatModel(main);
    // Arguments of tool calls are sent to a remote caller, so output rails read them like any other text.
    const target = wraps
      ? guardrails.wrap(main as ChatModelLike, { toolArgs: true, onBlocked: "refuse" })
      : new Guardrails({ ...host, onBlocked: "refuse" });
    const forwards = main instanceof ForwardingChatModel;
    return { id, guardrails, host, target: target as Served["target"], modelName, forwards };
  }
}

function withPrefix(logger: Logger, id: string): Logger {
  return {
    warn: (message) => logger.warn(`${id}: ${message}`),
    error: (message) => logger.error(`${id}: ${message}`),
    info: (message) => logger.info?.(`${id}: ${message}`),
  };
}

/** Returns the folder of a configuration; undefined for a guardrails object. */
function folderOf(source: ServedConfig | undefined): ServedFolder | undefined {
  if (source === undefined || source instanceof Guardrails) return undefined;
  return typeof source === "string" || source instanceof URL ? { path: source } : source;
}
