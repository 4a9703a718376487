import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";

/**
 * The error `CF-104` for a package that the application has not installed, with the command that installs it.
 *
 * Each import of such a package stands in a `try` block of its own: bundlers, such as that of Next.js, then leave an import
 * that they cannot resolve to the run time.
 */
export function missingPeer(name: string, cause: unknown): ConfigError {
  const message = `the package \`${name}\` is not installed`;
  const error = new ConfigError([createDiagnostic("CF-104", message, { hint: `run \`npm install ${name}\`` })]);
  error.cause = cause;
  return error;
}
