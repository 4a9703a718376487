import { variable } from "../../config/environment.js";
import type { ActionsServer, RunningServer } from "../../server/index.js";
import { type CommandLine, EXIT, type ExitCode, UsageError, untilInterruption } from "../command-line.js";
import { countOf } from "../print-diagnostics.js";

export interface ActionsServerOptions {
  readonly port?: string;
  readonly host?: string;
  /** Environment variable with the key of callers. */
  readonly keyEnv?: string;
  readonly timeoutMs?: string;
}

const DEFAULT_PORT = "8001";
const MAX_PORT = 65_535;

/** `actions-server`: serves the actions of a folder for guardrails on other machines, until interrupted. */
export async function runActionsServer(
  path: string,
  options: ActionsServerOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const { host, keyEnv, port = DEFAULT_PORT, timeoutMs } = options;
  const listenOn = readNumber("--port", port, MAX_PORT);
  const limits = timeoutMs === undefined ? {} : { actionMs: readNumber("--timeout-ms", timeoutMs, 86_400_000) };
  const key = keyEnv === undefined ? undefined : readKey(keyEnv, commandLine);
  const { stdout, stderr, signal } = commandLine;
  const { createActionsApp, serve } = await import("../../server/index.js");
  const app = await createActionsApp({
    path,
    limits,
    ...(key === undefined ? {} : { keys: [{ id: keyEnv ?? "", key }] }),
    logger: { warn: (line) => stderr.line(line, "yellow"), error: (line) => stderr.line(line, "red") },
  });
  if (app.names.length === 0) throw new UsageError(`\`${path}\` has no actions; it needs an \`actions.js\``);
  const running = await serve(app, { port: listenOn, ...(host === undefined ? {} : { host }) });
  stdout.line(`listening on ${running.url} with ${countOf(app.names.length, "action")}: ${app.names.join(", ")}`);
  if (key === undefined) stdout.line("callers need no key, so only this machine can reach the server", "dim");
  await untilInterrupted(running, signal);
  return EXIT.interrupted;
}

async function untilInterrupted(running: RunningServer<ActionsServer>, signal: AbortSignal): Promise<void> {
  await untilInterruption(signal);
  await running.close();
}

/** INVARIANT: a key is never passed as an argument, because all users of a machine can see arguments. */
function readKey(name: string, { env }: CommandLine): string {
  const key = variable(env, name);
  if (key !== undefined) return key;
  throw new UsageError(`the environment variable \`${name}\` with the key of callers is not set`);
}

function readNumber(option: string, text: string, maximum: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 0 && number <= maximum) return number;
  throw new UsageError(`expected a whole number up to ${maximum} for \`${option}\`, got \`${text.slice(0, 40)}\``);
}
