import { foldBlanks, toSnakeCaseName } from "../../../engine/events.js";
import { type CompiledToolRules, TOOL_RULES_SERVICE } from "../../../library/tool-rules.js";
import type { TurnOptions } from "../../../turn/options.js";
import type { Colang2Services } from "../run.js";

/**
 * The tool that performs an action: of those the caller offers, or else of those that the rails on tools know. Found by its
 * exact name, and else as actions are found.
 */
export function toolNameOf(services: Colang2Services, action: string, { tools }: TurnOptions): string {
  const names = tools ?? knownTools(services);
  if (names.includes(action)) return action;
  const wanted = folded(toSnakeCaseName(action));
  const near = names.filter((name) => folded(name) === wanted);
  return near.length === 1 && near[0] !== undefined ? near[0] : action;
}

/** Returns true for an action that has the name of a tool that the caller brings. */
export function isToolOfCaller(services: Colang2Services, action: string, options: TurnOptions): boolean {
  return options.tools?.includes(toolNameOf(services, action, options)) === true;
}

/** `get_weather`, `getWeather` and `get weather` are one name. */
function folded(name: string): string {
  return foldBlanks(toSnakeCaseName(name));
}

function knownTools({ config, actionParams }: Colang2Services): readonly string[] {
  const { tool_output: calls, tool_input: results } = config.settings.rails;
  const rules = actionParams[TOOL_RULES_SERVICE] as CompiledToolRules | undefined;
  const named = [...Object.keys(calls.per_tool), ...Object.keys(results.per_tool)];
  return [...new Set([...named, ...(rules?.allowed ?? []), ...(rules?.tools.keys() ?? [])])];
}
