import type { ActionDefinition } from "../../actions/action.js";
import { createEventAction } from "../../actions/builtin/create-event.js";
import { langChainTools } from "../../actions/builtin/langchain-tools.js";
import { summarizeDocumentAction } from "../../actions/builtin/summarize-document.js";
import { ActionRegistryBuilder, type ActionRegistry } from "../../actions/registry.js";
import type { RailsConfig } from "../../config/rails-config.js";
import { GuardrailsError } from "../../diagnostics/errors.js";
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

async function serverActions(config: RailsConfig, url: string): Promise<readonly ActionDefinition[]> {
  const { createActionServer, remoteActions } = await import("../../actions/remote.js");
  const { token_env_var: variable, timeout_ms: timeoutMs, retries } = config.settings.actions.server;
  const token = variable === null ? undefined : globalThis.process?.env[variable];
  if (variable !== null && (token === undefined || token === "")) {
    throw new GuardrailsError(`the environment variable \`${variable}\` with the action server's token is not set`, {
      code: "CF-113",
    });
  }
  const server = createActionServer({ url, timeoutMs, retries, ...(token === undefined ? {} : { token }) });
  return remoteActions(server, await server.list(new AbortController().signal));
}

/** The actions of a dialect come last and never replace one of the user's. */
export function withBuiltIn(builder: ActionRegistryBuilder, actions: readonly ActionDefinition[]): ActionRegistry {
  for (const action of actions) builder.register(action, action.name, { override: false });
  return builder.build();
}
