import type { StatementOf, Target } from "../ast.js";
import type { ActionRequestName, ElementArgument, FlowRequestName } from "../requests.js";
import type { Atom, NamedAtom } from "./atom.js";
import { type ExpandContext, literal } from "./context.js";
import { Label } from "./element-writer.js";
import {
  type AtomNode,
  type AtomProblem,
  checkAtoms,
  NOT_HINT,
  type GroupNode,
  readGroup,
  addForget,
  addReference,
} from "./group-tree.js";
import { quoteText } from "../../diagnostics/diagnostic.js";

interface Send {
  readonly context: ExpandContext;
  readonly target?: Target | undefined;
}

/** `send G`: an `and` is a sequence; of an `or` the alternative that wins is sent. */
export function expandSend(context: ExpandContext, { group, target }: StatementOf<"Operation">): void {
  const node = readGroup(context, group, { isObserved: target !== undefined });
  if (!node || !checkAtoms(context, node, problemOfSent)) return;
  addNode({ context, target }, node);
  addForget(context, false, node);
}

function addNode(send: Send, node: GroupNode): void {
  if (node.kind === "And") {
    for (const operand of node.operands) addNode(send, operand);
  } else if (node.kind === "Or") addOr(send, node.operands);
  else {
    addAtom(send.context, node);
    const { reference } = node.atom;
    if (reference !== undefined) addReference(send.context, { name: reference, path: [] }, node.variable);
    if (send.target) addReference(send.context, send.target, node.variable);
  }
}

function addOr(send: Send, operands: readonly GroupNode[]): void {
  const { writer } = send.context;
  const end = new Label();
  const branches = operands.map(() => new Label());
  const { fork, failed } = writer.beginFork(branches);
  operands.forEach((operand, at) => {
    writer.label(branches[at] as Label);
    addNode(send, operand);
    writer.goto(end);
  });
  writer.label(failed);
  writer.add(() => ({ kind: "Join", count: operands.length }));
  writer.failFork(fork);
  writer.label(end);
  writer.endFork(fork);
}

/** The reference of what was sent goes to the temporary of the atom. */
function addAtom({ writer }: ExpandContext, { atom, variable, isObserved }: AtomNode): void {
  const event = isObserved ? { event: variable } : {};
  if (atom.kind === "event") {
    const given = atom.name === "StartFlow" ? atom.arguments.map(shareOwnContext) : atom.arguments;
    const request = { form: "event", name: atom.name, arguments: given } as const;
    const kind = atom.isInternal ? "Emit" : "Act";
    return writer.add(() => ({ kind, request, ...event }));
  }
  const name = atom.member?.name as ActionRequestName & FlowRequestName;
  const given = atom.member?.arguments ?? [];
  if (atom.kind === "reference") {
    const { value } = atom;
    const asked = atom.member ? { request: name, arguments: given } : { arguments: atom.arguments };
    return writer.add(() => ({ kind: "SendReference", value, ...asked, deactivate: false, ...event }));
  }
  if (atom.kind === "flow") return addFlowRequest(writer, atom, { name, event, given });
  if (name === "Start") {
    // INVARIANT: what is sent belongs to no flow, as `send StartXAction()`; `start` makes an action that ends with its flow.
    const request = { form: "event", name: `Start${atom.name}`, arguments: [...atom.arguments, ...given] } as const;
    return writer.add(() => ({ kind: "Act", request, ...event }));
  }
  const { name: action, arguments: startArguments } = atom;
  const request = { form: "actions", action, request: name, startArguments, arguments: given } as const;
  return writer.add(() => ({ kind: "Act", request, ...event }));
}

/** `context=$self.context` of `StartFlow` means that the new flow shares the variables, as in NeMo Guardrails. */
function shareOwnContext(argument: ElementArgument): ElementArgument {
  const { name, value } = argument;
  const isOwn =
    name === "context" &&
    value.kind === "Member" &&
    value.name === "context" &&
    value.object.kind === "Variable" &&
    value.object.name === "self";
  return isOwn ? { name: "share_context", value: literal(true) } : argument;
}

function addFlowRequest(
  writer: ExpandContext["writer"],
  atom: NamedAtom,
  {
    name,
    event,
    given,
  }: { readonly name: FlowRequestName; readonly event: { readonly event?: string }; readonly given: Atom["arguments"] },
): void {
  const { name: flow, arguments: flowArguments } = atom;
  if (name === "Start") {
    const instance = writer.newTemporary();
    const args = [...flowArguments, ...given];
    writer.add(() => ({
      kind: "StartFlow",
      flow,
      arguments: args,
      variable: instance,
      ...event,
      activate: false,
      shareContext: false,
    }));
    return writer.add(() => ({ kind: "Forget", variables: [instance] }));
  }
  const request = { form: "flows", flow, request: name, deactivate: false, flowArguments, arguments: given } as const;
  return writer.add(() => ({ kind: "Emit", request, ...event }));
}

const REQUESTS: Readonly<Record<"flow" | "action" | "reference", ReadonlySet<string>>> = {
  flow: new Set(["Start", "Stop", "Finish", "Pause", "Resume"]),
  action: new Set(["Start", "Stop", "Change"]),
  reference: new Set(["Start", "Stop", "Finish", "Pause", "Resume", "Change"]),
};

function problemOfSent({ atom, isNegated }: AtomNode): AtomProblem | undefined {
  if (isNegated) return ["C2-119", "`not` cannot be sent", NOT_HINT];
  if (atom.kind === "event" || (atom.kind === "reference" && !atom.member)) return undefined;
  const what = atom.kind === "flow" ? "a flow" : atom.kind === "action" ? "an action" : "a reference";
  const known = REQUESTS[atom.kind];
  if (!atom.member) {
    return ["C2-118", `${what} cannot be sent`, "write `start` to start it, or send a request: `.Start()`, `.Stop()`"];
  }
  if (known.has(atom.member.name)) return undefined;
  const hint = `what can be sent is ${[...known].map((one) => `\`${one}\``).join(", ")}`;
  return ["C2-118", `${quoteText(atom.member.name)} of ${what} cannot be sent`, hint];
}
