import type { RailsConfig } from "../config/rails-config.js";
import { processEnvironment, variable } from "../config/environment.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { checkSharedVerdicts, type SharedVerdictsOptions } from "../library/judges/shared-verdicts.js";

/**
 * Returns the verdicts that processes share: those of the option, or those of the settings, whose store is in Redis.
 *
 * @throws ConfigError `CF-104` for wrong options, and for variables that are not set
 */
export async function openSharedVerdicts(
  { settings, spanOf }: RailsConfig,
  given: SharedVerdictsOptions | undefined,
): Promise<SharedVerdictsOptions> {
  const { cache } = settings.rails;
  if (given !== undefined) checkSharedVerdicts(given);
  if (!cache.enabled && !settings.models.some((model) => model.cache.enabled)) {
    const hint = "set `rails.cache.enabled: true`";
    const message = "verdicts can be shared where there is a cache of verdicts, and the configuration has none";
    throw new ConfigError([createDiagnostic("CF-104", message, { path: "rails.cache.enabled", hint })]);
  }
  if (given !== undefined) return given;
  const { url_env_var: urlName, secret_env_var: secretName, policy, timeout } = cache.shared;
  const read = (key: string, name: string | null): string => {
    const value = name === null ? undefined : variable(processEnvironment(), name);
    if (value !== undefined) return value;
    const path = ["rails", "cache", "shared", key];
    const message =
      name === null ? `\`${path.join(".")}\` is missing` : `the environment variable \`${name}\` is not set`;
    throw new ConfigError([createDiagnostic("CF-104", message, { path: path.join("."), span: spanOf(path) })]);
  };
  const [url, secret] = [read("url_env_var", urlName), read("secret_env_var", secretName)];
  const { RedisVerdictStore } = await import("./redis/redis-verdict-store.js");
  const opened = { store: await RedisVerdictStore.connect(url), secret, policy, timeoutMs: timeout * 1_000 };
  checkSharedVerdicts(opened);
  return opened;
}
