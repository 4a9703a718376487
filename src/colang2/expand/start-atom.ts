import type { AtomNode } from "./group-tree.js";
import { addStartedWait, type ExpandContext, Label } from "./context.js";

/**
 * Starts the flow, action or reference of an atom and waits until it has started; the reference is in the
 * temporary of the atom.
 */
export function addStart(context: ExpandContext, { atom, variable: name }: AtomNode): void {
  switch (atom.kind) {
    case "flow":
      return addFlowStart(context, { flow: atom.name, arguments: atom.arguments, variable: name });
    case "action": {
      const { name: action, arguments: given } = atom;
      context.writer.add(() => ({ kind: "NewAction", action, arguments: given, variable: name }));
      return addActionStart(context, name);
    }
    case "reference": {
      const { value, arguments: given } = atom;
      const isFlow = new Label();
      const end = new Label();
      const { writer } = context;
      writer.add(() => ({ kind: "StartReference", value, arguments: given, variable: name, activate: false }));
      writer.add(() => ({ kind: "GotoIfFlow", variable: name, target: isFlow.address }));
      addActionStart(context, name);
      writer.goto(end);
      writer.label(isFlow);
      addStartedWait(context, name);
      return writer.label(end);
    }
    case "event":
      // INVARIANT: events are refused before anything is started.
      return undefined;
  }
}

function addFlowStart(
  context: ExpandContext,
  start: { readonly flow: string; readonly arguments: AtomNode["atom"]["arguments"]; readonly variable: string },
): void {
  context.writer.add(() => ({ kind: "StartFlow", ...start, activate: false, shareContext: false }));
  addStartedWait(context, start.variable);
}

function addActionStart({ writer }: ExpandContext, name: string): void {
  writer.add(() => ({
    kind: "Act",
    request: { form: "action", variable: name, request: "Start", arguments: [] },
  }));
}
