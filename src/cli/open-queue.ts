import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { BatchQueue } from "../batch/index.js";
import { variable } from "../config/environment.js";
import { loadConfig } from "../langchain/configs.js";
import { type CommandLine, UsageError } from "./command-line.js";

/** Options of the commands that share a queue. */
export interface QueueOptions {
  readonly config: string;
  readonly redis?: string;
  readonly queue?: string;
  readonly code?: boolean;
  readonly offline?: boolean;
}

/** Environment variables for the URL of the server, which may contain a password, and for the secret of a queue. */
const URL_VARIABLE = "LANGCHAIN_GUARDRAILS_REDIS_URL";
const SECRET_VARIABLE = "LANGCHAIN_GUARDRAILS_BATCH_SECRET";

/** Opens the queue shared by processes with the same configuration and release. */
export async function openQueue(options: QueueOptions, { env, stderr }: CommandLine): Promise<BatchQueue> {
  const url = options.redis ?? variable(env, URL_VARIABLE);
  if (url === undefined) throw new UsageError(`name the server with --redis or the variable ${URL_VARIABLE}`);
  const secret = variable(env, SECRET_VARIABLE);
  const logger = {
    warn: (text: string) => stderr.line(text, "yellow"),
    error: (text: string) => stderr.line(text, "red"),
    info: (text: string) => stderr.line(text, "dim"),
  };
  const policy = await policyOf(options);
  const named = options.queue === undefined ? {} : { name: options.queue };
  return BatchQueue.connect(url, { ...named, policy, logger, ...(secret === undefined ? {} : { secret }) });
}

/**
 * Hashes everything that affects a verdict: the release, the configuration with the code in its folder, and the
 * relevant options.
 */
async function policyOf({ config, code = true, offline = false }: QueueOptions): Promise<string> {
  const { version } = createRequire(import.meta.url)("langchain-guardrails/package.json") as { version: string };
  const { settings, colang, documents } = await loadConfig(config, { allowCode: false });
  const flows = colang.map(({ source }) => source.text).toSorted();
  const texts = documents.map(({ content }) => content).toSorted();
  const modules = code ? await readModules(config) : [];
  const parts = [version, settings, flows, texts, modules, code, offline];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const MODULE = /\.(?:[cm]?[jt]s|py)$/;

/** Reads the modules in a folder, sorted by their text, without those of packages and hidden folders. */
async function readModules(folder: string): Promise<readonly string[]> {
  if (!(await stat(folder)).isDirectory()) return [];
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && MODULE.test(entry.name));
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const own = paths.filter((path) => !/(?:^|[\\/])(?:node_modules|\.[^\\/.][^\\/]*)[\\/]/.test(relative(folder, path)));
  return (await Promise.all(own.map((path) => readFile(path, "utf8")))).toSorted();
}
