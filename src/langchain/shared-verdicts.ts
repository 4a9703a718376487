import type { RailsConfig } from "../config/rails-config.js";
import { processEnvironment, variable } from "../config/environment.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { checkSharedVerdicts, type SharedVerdictsOptions } from "../library/judges/shared-verdicts.js";

/**
 * Returns the verdict store shared by processes: that of the option, otherwise the Redis store of the settings.
 *
 * @throws ConfigError `CF-104` for invalid options and unset environment variables
 */
export async function openSharedVerdicts(
  { settings, spanOf }: RailsConfig,
  given: SharedVerdictsOptions | undefined,
): Promise<SharedVerdictsOptions> {
  const { cache } = settings.rails;
  if (given !== undefined) checkSharedVerdicts(given);
  if (!cache.enabled && !settings.models.some((model) => model.cache.enabled)) {
    const hint = "set `rails.cache.enabled: true`";
    const message = "expected a verdict cache to share verdicts with, got a configuration without one";
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
