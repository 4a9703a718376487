import { type Logger, logOnce } from "../diagnostics/logger.js";

/** Warns once for each logger and process, and never in production. */
export function warnOnce(id: string, message: string, logger: Logger | undefined = console): void {
  if (!isProduction()) logOnce(logger, "warn", id, `langchain-guardrails: ${message}`);
}

export { forgetLogged as forgetWarnings } from "../diagnostics/logger.js";

function isProduction(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.["NODE_ENV"] === "production";
}
