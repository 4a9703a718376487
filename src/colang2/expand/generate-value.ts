import type { Expression } from "../../expressions/ast.js";
import type { ElementArgument } from "../requests.js";
import { addWait, type ExpandContext } from "./context.js";
import { literal, member, variable } from "./expressions.js";

/** Runs an action to its end; the action stays in the temporary that is returned. */
export function addAwaitedAction(
  context: ExpandContext,
  action: string,
  given: Readonly<Record<string, Expression>>,
): string {
  const { writer } = context;
  const name = writer.newTemporary();
  const args: readonly ElementArgument[] = Object.entries(given).map(([key, value]) => ({ name: key, value }));
  writer.add(() => ({ kind: "NewAction", action, arguments: args, variable: name }));
  writer.add(() => ({
    kind: "Act",
    request: { form: "action", variable: name, request: "Start", arguments: [] },
  }));
  addWait(context, { form: "reference", value: variable(name), member: "Finished", arguments: [] });
  return name;
}

/** `..."text"`: the value is generated into the temporary that is returned. */
export function addGeneratedValue(context: ExpandContext, instructions: Expression, name?: string): string {
  const { writer } = context;
  const wanted = name === undefined ? {} : { var_name: literal(name) };
  const action = addAwaitedAction(context, "GenerateValueAction", { ...wanted, instructions });
  const result = writer.newTemporary();
  writer.add(() => ({
    kind: "Set",
    target: { name: result, path: [] },
    operator: "=",
    value: member(variable(action), "return_value"),
  }));
  writer.add(() => ({ kind: "Forget", variables: [action] }));
  return result;
}
