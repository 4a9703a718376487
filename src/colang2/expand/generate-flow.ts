import type { ExpandContext } from "./context.js";
import { Label } from "./element-writer.js";
import { list, member, variable } from "./expressions.js";
import { addAwaitedAction } from "./generate-value.js";
import { addFinishedWait, addStartedWait } from "./start-atom.js";

/** `...` (spec 9.4.7): a flow is generated, added, run over the variables of this one, and removed, also when it fails. */
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
