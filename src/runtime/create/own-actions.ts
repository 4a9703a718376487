import { type ActionRegistry, ActionRegistryBuilder } from "../../actions/registry.js";
import type { RailsConfig } from "../../config/rails-config.js";
import { initialiseApp } from "./app.js";

/** Actions without a runtime. */
export interface OwnActions {
  readonly registry: ActionRegistry;
  /** Values that actions find as `context.services`. */
  readonly actionParams: Readonly<Record<string, unknown>>;
  readonly config: RailsConfig;
}

/**
 * Collects the actions of a configuration and its application, without those of the package.
 *
 * @throws GuardrailsError `CF-116` for an action that cannot be run
 */
export async function collectOwnActions(
  config: RailsConfig,
  given: {
    readonly actions?: Readonly<Record<string, unknown>> | undefined;
    readonly tools?: readonly unknown[] | undefined;
    readonly actionParams?: Readonly<Record<string, unknown>> | undefined;
  },
): Promise<OwnActions> {
  const app = await initialiseApp(config);
  const builder = new ActionRegistryBuilder();
  for (const { name, value } of config.code.actions) builder.register(value, name);
  for (const { name, value } of app.actions) builder.register(value, name);
  for (const tool of given.tools ?? []) builder.register(tool);
  for (const [name, value] of Object.entries(given.actions ?? {})) builder.register(value, name);
  const all = builder.build();
  const shown = new ActionRegistryBuilder();
  // INVARIANT: system actions are neither listed nor run for others.
  for (const name of all.names) {
    const action = all.get(name);
    if (action !== undefined && !action.system) shown.register(action, name);
  }
  return { registry: shown.build(), actionParams: { ...app.actionParams, ...given.actionParams }, config };
}
