import type { Expression } from "../../expressions/ast.js";
import type { ElementArgument } from "../elements.js";
import {
  addWait,
  type ExpandContext,
  addStartedWait,
  addFinishedWait,
  literal,
  member,
  variable,
  list,
  Label,
} from "./context.js";

/** Runs an action to its end; returns the temporary that holds it. */
function addAwaitedAction(context: ExpandContext, action: string, given: Readonly<Record<string, Expression>>): string {
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

/** `..."text"`: generates the value into the returned temporary. */
export function addGeneratedValue(context: ExpandContext, instructions: Expression, name?: string): string {
  const { writer } = context;
  const wanted = name === undefined ? {} : { var_name: literal(name) };
  const action = addAwaitedAction(context, "GenerateValueAction", { ...wanted, instructions });
  const result = writer.newTemporary();
  writer.set({ name: result, path: [] }, member(variable(action), "return_value"));
  writer.add(() => ({ kind: "Forget", variables: [action] }));
  return result;
}

/** `...`: generates a flow, adds it, runs it over the variables of this one, and removes it, even if it fails. */
export function expandGenerateFlow(context: ExpandContext): void {
  const { writer } = context;
  const failed = new Label();
  const end = new Label();
  const generated = addAwaitedAction(context, "GenerateFlowAction", { flow_id: member(variable("self"), "flow_id") });
  const result = member(variable(generated), "return_value");
  const name = member(result, "name");
  const added = addAwaitedAction(context, "AddFlowsAction", { config: member(result, "body") });
  const instance = writer.newTemporary();
  writer.add(() => ({ kind: "PushHandler", target: failed.address }));
  writer.add(() => ({
    kind: "StartFlow",
    flowValue: name,
    arguments: [],
    variable: instance,
    activate: false,
    shareContext: true,
  }));
  addStartedWait(context, instance);
  addFinishedWait(context, instance);
  writer.add(() => ({ kind: "PopHandler" }));
  const removed = addAwaitedAction(context, "RemoveFlowsAction", { flow_ids: list([name]) });
  writer.add(() => ({ kind: "Forget", variables: [generated, added, instance, removed] }));
  writer.goto(end);
  writer.label(failed);
  addAwaitedAction(context, "RemoveFlowsAction", { flow_ids: list([name]) });
  writer.add(() => ({ kind: "Fail", isAbort: false }));
  writer.label(end);
}
