import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { variable } from "../../config/environment.js";
import { loadConfig } from "../../langchain/configs.js";
import {
  type ApiKey,
  createGuardrailsApp,
  type GuardrailsAppOptions,
  type GuardrailsServer,
  type PlaygroundOptions,
  prometheusMetrics,
  RedisRateLimits,
  serve,
  type ServedFolder,
} from "../../server/index.js";
import { type CommandLine, EXIT, type ExitCode, UsageError, untilInterruption } from "../command-line.js";
import { type OpenOptions, scriptedOptions, scriptOf } from "../open-configuration.js";
import { watchFiles } from "../watch.js";

export interface ServeOptions extends Pick<GuardrailsAppOptions, "history" | "verdicts"> {
  readonly host: string;
  readonly port: number;
  /** JSON file with keys. */
  readonly keys?: string;
  /** Address of Redis. */
  readonly rateLimits?: string;
  readonly default?: string;
  readonly models?: string;
  readonly cors?: string;
  readonly allowCode?: boolean;
  readonly metrics?: boolean;
  readonly watch?: boolean;
  readonly offline?: boolean;
  readonly reply?: readonly string[];
  /** Serves the page of the playground, too. */
  readonly playground?: PlaygroundOptions;
}

/** Options of `playground`. */
export interface PlaygroundCommandOptions extends OpenOptions, PlaygroundOptions {
  readonly host: string;
  readonly port: number;
  readonly keys?: string;
  readonly watch?: boolean;
}

/** `playground`: a configuration with the page that shows what its rails do. */
export function runPlayground(
  path: string,
  { code = true, unreviewed = false, remote = false, ...options }: PlaygroundCommandOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  return runServe([path], { ...options, allowCode: code, playground: { unreviewed, remote } }, commandLine);
}

/** The variable with the one key of a server. */
const KEY_VARIABLE = "LANGCHAIN_GUARDRAILS_API_KEY";

/** `serve`: configurations as a server with the protocol of OpenAI, until it is interrupted. */
export async function runServe(
  paths: readonly string[],
  options: ServeOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = commandLine;
  const folders = readFolders(paths);
  const configs: Record<string, ServedFolder> = {};
  for (const [id, path] of folders) configs[id] = await servedFolder(path, options, commandLine);
  const { history, verdicts, models, cors, playground } = options;
  const rateLimits = options.rateLimits === undefined ? undefined : await RedisRateLimits.connect(options.rateLimits);
  const app = await createGuardrailsApp({
    configs,
    logger: { warn: (text) => stderr.line(text, "yellow"), error: (text) => stderr.line(text, "red") },
    ...withKeys(await readKeys(options, commandLine)),
    ...(options.default === undefined ? {} : { defaultConfig: options.default }),
    ...(rateLimits === undefined ? {} : { rateLimits }),
    ...(history === undefined ? {} : { history }),
    ...(verdicts === undefined ? {} : { verdicts }),
    ...(playground === undefined ? {} : { playground }),
    ...(models === undefined ? {} : { models: models === "any" ? "any" : splitList(models) }),
    ...(cors === undefined ? {} : { corsOrigins: splitList(cors) }),
    ...(options.metrics === true ? await prometheusMetrics({ process: true }) : {}),
  });
  const running = await serve(app, { host: options.host, port: options.port });
  if (playground !== undefined) stdout.line(`playground: ${running.url}/`);
  stdout.line(`listening on ${running.url}/v1 (${app.configs.join(", ")})`);
  if (!app.isClosed) stdout.line("no keys: only programs of this machine reach it", "dim");
  const watching = options.watch === true ? watchConfigs(folders, app, commandLine) : [];
  await untilInterruption(signal);
  stdout.line("waiting for requests at work; Ctrl+C again ends at once", "dim");
  await Promise.all([running.close(), ...watching]);
  rateLimits?.close();
  return EXIT.ok;
}

/** The folders by id: `id=folder`, or a folder with the id of its name. */
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
  const config = await loadConfig(path, { allowCode });
  return { path, options: { allowCode, ...scriptedOptions(config, { offline, script: scriptOf(reply) }, stderr) } };
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
 * Reads the keys of callers; arguments of a process are seen by others of the machine, so none stands there.
 *
 * @throws UsageError for a file that holds none
 */
async function readKeys(
  { keys: path, playground }: Pick<ServeOptions, "keys" | "playground">,
  { env }: CommandLine,
): Promise<readonly ApiKey[]> {
  const own = variable(env, KEY_VARIABLE);
  const permissions = playground === undefined ? {} : { permissions: ["playground"] as const };
  const single: readonly ApiKey[] = own === undefined ? [] : [{ key: own, id: "default", ...permissions }];
  if (path === undefined) return single;
  const expected = 'expected a JSON list such as `[{ "key": "…", "id": "shop" }]`';
  let keys: unknown;
  try {
    keys = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    // INVARIANT: the message of a parser may quote a key.
    const reason = (error as NodeJS.ErrnoException).code ?? expected;
    throw new UsageError(`the keys in \`${path}\` cannot be read: ${reason}`);
  }
  if (!Array.isArray(keys) || keys.length === 0 || keys.some((each) => typeof each !== "object" || each === null)) {
    throw new UsageError(`\`${path}\` holds no keys: ${expected}`);
  }
  // The server checks the fields of each.
  return [...single, ...(keys as readonly ApiKey[])];
}

function watchConfigs(
  folders: ReadonlyMap<string, string>,
  app: GuardrailsServer,
  { stdout, stderr, signal }: CommandLine,
): readonly Promise<void>[] {
  return Array.from(folders, ([id, path]) =>
    watchFiles(path, signal, async () => {
      try {
        await app.reload(id);
        stdout.line(`loaded again: ${id}`, "dim");
      } catch (error) {
        stderr.line(`${id} stays as it was: ${error instanceof Error ? error.message : String(error)}`, "red");
      }
    }),
  );
}
