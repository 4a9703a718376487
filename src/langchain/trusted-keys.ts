import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";

interface NamedKeys {
  readonly inputKey?: string | undefined;
  readonly contextKey?: string | undefined;
  readonly trustedKeys?: readonly string[] | undefined;
}

/**
 * Refuses keys that are trusted and have a meaning of their own: rails would not read what the user said.
 *
 * @throws ConfigError `CF-104`
 */
export function checkTrustedKeys(surface: string, options: NamedKeys = {}): void {
  const { trustedKeys = [] } = options;
  const problems = (["inputKey", "contextKey"] as const).flatMap((option) => {
    const key = options[option];
    if (key === undefined || !trustedKeys.includes(key)) return [];
    const message = `expected other keys in the option \`trustedKeys\` of \`${surface}\`, got \`${key}\`, the \`${option}\``;
    const hint = "name only keys that the application fills itself, such as `format_instructions`";
    return [createDiagnostic("CF-104", message, { path: "options.trustedKeys", hint })];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
