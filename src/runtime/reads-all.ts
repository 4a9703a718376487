import type { ActionRegistry } from "../actions/registry.js";

/** True if one of these actions is handed all variables: functions with a second parameter, and those made elsewhere. */
export function readsAllVariables(registry: ActionRegistry, actions: Iterable<string>): boolean {
  for (const name of actions) {
    const resolution = registry.resolve(name);
    // Actions of the library are handed all variables, too; those that read evidence say so in their manifest.
    if (!resolution.found || (!resolution.definition.system && resolution.definition.run.length > 1)) return true;
  }
  return false;
}
