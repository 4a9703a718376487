import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { variable } from "../../config/environment.js";
import { loadConfig } from "../../langchain/configs.js";
import {
  type ApiKey,
  createGuardrailsApp,
  type GuardrailsAppOptions,
  type PlaygroundOptions,
  RedisRateLimits,
  serve,
  type ServedFolder,
} from "../../server/index.js";
import { measureServer, type ServerMeasures } from "../../server/metrics/prometheus.js";
import { type CommandLine, EXIT, type ExitCode, UsageError, untilInterruption } from "../command-line.js";
import { type OpenOptions, scriptedOptions, scriptOf } from "../open-configuration.js";
import {
  announce,
  DRAINING,
  isWorker,
  serveAsWorker,
  serveWithWorkers,
  type Serving,
} from "../serving/serve-workers.js";
import { openStore, readStore, type StoreOptions } from "../serving/thread-store.js";
import { watchFiles } from "../watch.js";

export interface ServeOptions extends StoreOptions, Pick<GuardrailsAppOptions, "history" | "verdicts"> {
  readonly host: string;
  readonly port: number;
  /** JSON file with the keys of callers. */
  readonly keys?: string;
  /** URL of Redis for shared rate limits. */
  readonly rateLimits?: string;
  readonly default?: string;
  readonly models?: string;
  readonly cors?: string;
  readonly allowCode?: boolean;
  readonly metrics?: boolean;
  readonly watch?: boolean;
  readonly offline?: boolean;
  readonly reply?: readonly string[];
  /** Number of processes. Default: 1. */
  readonly workers?: number;
  /** Also serves the playground page. */
  readonly playground?: PlaygroundOptions;
}

/** Options of `playground`. */
export interface PlaygroundCommandOptions extends OpenOptions, PlaygroundOptions {
  readonly host: string;
  readonly port: number;
  readonly keys?: string;
  readonly watch?: boolean;
}

/** `playground`: serves a configuration with a page that shows the activity of its rails. */
export function runPlayground(
  path: string,
  { code = true, unreviewed = false, remote = false, ...options }: PlaygroundCommandOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  return runServe([path], { ...options, allowCode: code, playground: { unreviewed, remote } }, commandLine);
}

/** Environment variable with the single key of a server. */
const KEY_VARIABLE = "LANGCHAIN_GUARDRAILS_API_KEY";

/** `serve`: serves configurations through OpenAI's API, until interrupted. */
export async function runServe(
  paths: readonly string[],
  options: ServeOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const { workers = 1 } = options;
  const store = readStore(options, workers, commandLine);
  const folders = readFolders(paths);
  if (isWorker(commandLine)) {
    return serveAsWorker(
      (settings) => startServing({ folders, store, options, commandLine, ...settings }),
      commandLine,
    );
  }
  if (workers === 1) return serveAlone({ folders, store, options, commandLine });
  return serveWithWorkers({ ...options, workers }, commandLine, (stopping, pool) => {
    const { stdout } = commandLine;
    if (store === "none")
      stdout.line("no --store: requests with a thread_id are refused, for workers share no memory", "dim");
    if (options.watch !== true) return [];
    return watchConfigs(folders, { ...commandLine, signal: stopping }, (id) => pool.reload(id));
  });
}

/** A server to start in this process. */
interface ServingPlan {
  readonly folders: ReadonlyMap<string, string>;
  readonly store: string;
  readonly options: ServeOptions;
  readonly commandLine: CommandLine;
  /** Default: the port of the options. */
  readonly port?: number | undefined;
  /** Metrics page of all workers. Replaces that of this process. */
  readonly page?: ServerMeasures["metrics"];
}

async function serveAlone(plan: ServingPlan): Promise<ExitCode> {
  const { stdout, signal } = plan.commandLine;
  const { running, close } = await startServing(plan);
  const { app } = running;
  if (plan.options.playground !== undefined) stdout.line(`playground: ${running.url}/`);
  announce({ url: running.url, configs: app.configs, isClosed: app.isClosed }, stdout);
  const reload = async (id: string): Promise<readonly string[]> =>
    app.reload(id).then(
      () => [],
      (error: unknown) => [error instanceof Error ? error.message : String(error)],
    );
  const watching = plan.options.watch === true ? watchConfigs(plan.folders, plan.commandLine, reload) : [];
  await untilInterruption(signal);
  stdout.line(DRAINING, "dim");
  await Promise.all([close(), ...watching]);
  return EXIT.ok;
}

async function startServing({ folders, store, options, commandLine, port, page }: ServingPlan): Promise<Serving> {
  const { stderr } = commandLine;
  const configs: Record<string, ServedFolder> = {};
  for (const [id, path] of folders) configs[id] = await servedFolder(path, options, commandLine);
  const { history, verdicts, models, cors, playground } = options;
  const keys = await readKeys(options, commandLine);
  const measures = options.metrics === true ? await measureServer({ process: true }) : undefined;
  const { threads, close: closeStore } = await openStore(store, options);
  let rateLimits: RedisRateLimits | undefined;
  const closeShared = async (): Promise<void> => {
    rateLimits?.close();
    await closeStore();
  };
  try {
    rateLimits = options.rateLimits === undefined ? undefined : await RedisRateLimits.connect(options.rateLimits);
    const app = await createGuardrailsApp({
      configs,
      logger: { warn: (text) => stderr.line(text, "yellow"), error: (text) => stderr.line(text, "red") },
      ...withKeys(keys),
      ...(threads === undefined ? {} : { threads }),
      ...(options.default === undefined ? {} : { defaultConfig: options.default }),
      ...(rateLimits === undefined ? {} : { rateLimits }),
      ...(history === undefined ? {} : { history }),
      ...(verdicts === undefined ? {} : { verdicts }),
      ...(playground === undefined ? {} : { playground }),
      ...(models === undefined ? {} : { models: models === "any" ? "any" : splitList(models) }),
      ...(cors === undefined ? {} : { corsOrigins: splitList(cors) }),
      ...(measures === undefined ? {} : { observer: measures.observer, metrics: page ?? measures.metrics }),
    });
    const running = await serve(app, { host: options.host, port: port ?? options.port });
    const close = (): Promise<void> => running.close().finally(closeShared);
    return { running, close, snapshot: async () => (await measures?.snapshot()) ?? [] };
  } catch (error) {
    await closeShared();
    throw error;
  }
}

/** Returns the folders by id, from `id=folder` or from a folder whose name is the id. */
function readFolders(paths: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const text of paths) {
    const [, named, folder] = /^([A-Za-z0-9][\w.-]*)=(.+)$/.exec(text) ?? [];
    const path = folder ?? text;
    const id = named ?? basename(resolve(path)).replace(/\.(?:ya?ml|co)$/, "");
    if (folders.has(id)) throw new UsageError(`two configurations are called \`${id}\`; name one with \`id=folder\``);
    folders.set(id, path);
  }
  return folders;
}

async function servedFolder(
  path: string,
  { offline, reply, allowCode = false }: ServeOptions,
  { stderr }: CommandLine,
): Promise<ServedFolder> {
  // The server reports a configuration that does not load, together with all others.
  const config = await loadConfig(path, { allowCode }).catch(() => undefined);
  const models = config && scriptedOptions(config, { offline, script: scriptOf(reply) }, stderr);
  return { path, options: { allowCode, ...models } };
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function withKeys(keys: readonly ApiKey[]): Pick<GuardrailsAppOptions, "keys"> {
  return keys.length === 0 ? {} : { keys };
}

/**
 * Reads the keys of callers. Keys are never passed as arguments, because all users of a machine can see arguments.
 *
 * @throws UsageError for a file that contains no keys
 */
async function readKeys(
  { keys: path, playground }: Pick<ServeOptions, "keys" | "playground">,
  { env }: CommandLine,
): Promise<readonly ApiKey[]> {
  const environmentKey = variable(env, KEY_VARIABLE);
  const permissions = playground === undefined ? {} : { permissions: ["playground"] as const };
  const single: readonly ApiKey[] =
    environmentKey === undefined ? [] : [{ key: environmentKey, id: "default", ...permissions }];
  if (path === undefined) return single;
  const expected = 'expected a JSON list such as `[{ "key": "…", "id": "shop" }]`';
  let keys: unknown;
  try {
    keys = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    // INVARIANT: the parser's message may quote a key, so it is not repeated.
    const reason = (error as NodeJS.ErrnoException).code ?? expected;
    throw new UsageError(`the keys in \`${path}\` cannot be read: ${reason}`);
  }
  if (!Array.isArray(keys) || keys.length === 0 || keys.some((entry) => typeof entry !== "object" || entry === null)) {
    throw new UsageError(`\`${path}\` holds no keys: ${expected}`);
  }
  // The server validates the fields of each key.
  return [...single, ...(keys as readonly ApiKey[])];
}

/** @param reload - returns the problems of a configuration whose loaded version stays active */
function watchConfigs(
  folders: ReadonlyMap<string, string>,
  { stdout, stderr, signal }: CommandLine,
  reload: (id: string) => Promise<readonly string[]>,
): readonly Promise<void>[] {
  return Array.from(folders, ([id, path]) =>
    watchFiles(path, signal, async () => {
      const problems = await reload(id);
      for (const problem of problems) stderr.line(`${id} stays as it was: ${problem}`, "red");
      if (problems.length === 0) stdout.line(`loaded again: ${id}`, "dim");
    }),
  );
}
