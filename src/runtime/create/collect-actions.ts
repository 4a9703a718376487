import type { ActionDefinition } from "../../actions/action.js";
import { createEventAction } from "../../actions/builtin/create-event.js";
import { langChainTools } from "../../actions/builtin/langchain-tools.js";
import { summarizeDocumentAction } from "../../actions/builtin/summarize-document.js";
import { ActionRegistryBuilder, type ActionRegistry } from "../../actions/registry.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { readErrorFacts } from "../../diagnostics/error-facts.js";
import { ActionError, ConfigError } from "../../diagnostics/errors.js";
import { WOLFRAM_ALPHA_ACTIONS } from "../../library/http/wolfram-alpha.js";
import { LIBRARY_RAILS } from "../../library/manifest.js";
import { railActions } from "../../library/rail-code.js";
import type { GuardrailsApp } from "./app.js";
import type { RuntimeInput } from "./runtime-input.js";

/**
 * All actions except the pipeline's own; later ones replace earlier ones: library, code of the configuration,
 * registrations by `init`, tools and actions of the caller, and names offered by an action server.
 *
 * @throws GuardrailsError `CF-116` for an action that cannot be run
 */
export async function collectActions(
  config: RailsConfig,
  app: GuardrailsApp,
  given: Pick<RuntimeInput, "actions" | "tools" | "library" | "loadModule">,
): Promise<ActionRegistry> {
  const builder = new ActionRegistryBuilder([
    createEventAction,
    ...(given.loadModule === undefined ? [] : langChainTools(given.loadModule)),
    summarizeDocumentAction(config.path),
    ...WOLFRAM_ALPHA_ACTIONS,
    ...railActions([...LIBRARY_RAILS, ...(given.library ?? [])]),
  ]);
  for (const { name, value } of config.code.actions) builder.register(value, name);
  for (const { name, value } of app.actions) builder.register(value, name);
  for (const tool of given.tools ?? []) builder.register(tool);
  for (const [name, value] of Object.entries(given.actions ?? {})) builder.register(value, name);
  const url = config.settings.actions_server_url;
  if (url !== null) builder.registerRemote(await serverActions(config, url));
  return builder.build();
}

/** @throws ConfigError if the server or its token is missing */
async function serverActions(config: RailsConfig, url: string): Promise<readonly ActionDefinition[]> {
  const { createActionServer, remoteActions } = await import("../../actions/remote.js");
  const { token_env_var: variable, timeout_ms: timeoutMs, retries } = config.settings.actions.server;
  const token = variable === null ? undefined : globalThis.process?.env[variable];
  if (variable !== null && (token === undefined || token === "")) {
    const message = `the environment variable \`${variable}\` with the action server's token is not set`;
    const hint = "set it in the environment of this process, or remove the setting for a server without a key";
    throw serverProblem(config, ["actions", "server", "token_env_var"], { code: "CF-113", message, hint });
  }
  const server = createActionServer({ url, timeoutMs, retries, ...(token === undefined ? {} : { token }) });
  const names = await server.list(new AbortController().signal).catch((error: unknown) => {
    if (!ActionError.isInstance(error)) throw error;
    const { reason } = readErrorFacts(error.cause);
    const message = reason === undefined ? error.message : `${error.message} (${reason})`;
    throw serverProblem(config, ["actions_server_url"], { code: "CF-122", message, hint: error.hint });
  });
  return remoteActions(server, names);
}

function serverProblem(
  config: RailsConfig,
  path: readonly string[],
  {
    code,
    message,
    hint,
  }: { readonly code: DiagnosticCode; readonly message: string; readonly hint?: string | undefined },
): ConfigError {
  return new ConfigError([createDiagnostic(code, message, { span: config.spanOf(path), path: path.join("."), hint })]);
}

/** The actions of a dialect come last and never replace one of the user's. */
export function withBuiltIn(builder: ActionRegistryBuilder, actions: readonly ActionDefinition[]): ActionRegistry {
  for (const action of actions) builder.register(action, action.name, { override: false });
  return builder.build();
}
