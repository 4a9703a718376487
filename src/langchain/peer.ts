import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";

/**
 * Imports a package that the application installs.
 *
 * @throws ConfigError `CF-104` with the command that installs it
 */
export async function importPeer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const message = `the package \`${name}\` is not installed`;
    const error = new ConfigError([createDiagnostic("CF-104", message, { hint: `run \`npm install ${name}\`` })]);
    error.cause = cause;
    throw error;
  }
}
