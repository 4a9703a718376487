import { foldActionName } from "../../../engine/events.js";
import { type CompiledToolRules, TOOL_RULES_SERVICE } from "../../../library/tool-rules.js";
import type { TurnOptions } from "../../../turn/options.js";
import type { Colang2Services } from "../run.js";

/**
 * The tool that performs an action, among the caller's tools or those known to the tool rails. Matched by exact name
 * first, then by normalised name.
 */
export function toolNameOf(services: Colang2Services, action: string, { tools }: TurnOptions): string {
  const names = tools ?? knownTools(services);
  if (names.includes(action)) return action;
  const wanted = foldActionName(action);
  const near = names.filter((name) => foldActionName(name) === wanted);
  return near.length === 1 && near[0] !== undefined ? near[0] : action;
}

/** Returns true for an action named like a tool of the caller. */
export function isToolOfCaller(services: Colang2Services, action: string, options: TurnOptions): boolean {
  return options.tools?.includes(toolNameOf(services, action, options)) === true;
}

function knownTools({ config, actionParams }: Colang2Services): readonly string[] {
  const { tool_output: calls, tool_input: results } = config.settings.rails;
  const rules = actionParams[TOOL_RULES_SERVICE] as CompiledToolRules | undefined;
  const named = [...Object.keys(calls.per_tool), ...Object.keys(results.per_tool)];
  return [...new Set([...named, ...(rules?.allowed ?? []), ...(rules?.tools.keys() ?? [])])];
}
