import type { CallArgument } from "../ast.js";
import type { ElementArgument } from "../requests.js";
import { type ExpandContext, type FlowSignature, report } from "./context.js";
import { addGeneratedValue } from "./generate-value.js";
import { variable } from "./expressions.js";

/**
 * Arguments as the engine evaluates them. A generated value is generated into a temporary before the statement, so this is
 * called before anything of the statement is written (spec 4.3).
 */
export function lowerArguments(
  context: ExpandContext,
  given: readonly CallArgument[],
  parameters: FlowSignature["parameters"] = [],
): readonly ElementArgument[] {
  return given.map(({ name, value, isGenerated, spread }, at) => {
    const wanted = name ?? parameters[at]?.name;
    const computed = isGenerated ? variable(addGeneratedValue(context, value, wanted)) : value;
    return { ...(name === undefined ? {} : { name }), value: computed, ...(spread ? { spread } : {}) };
  });
}

/** The arguments of events and actions, which have names only. */
export function lowerNamedArguments(
  context: ExpandContext,
  given: readonly CallArgument[],
  what: string,
): readonly ElementArgument[] {
  const wrong = given.find(({ name, spread }) => name === undefined && spread !== "**");
  if (wrong) {
    report(context, "C2-206", `${what} takes named arguments only`, wrong.span, "write `name=value`");
  }
  return lowerArguments(context, given);
}
