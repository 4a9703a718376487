import type { Operator, StatementOf, Target } from "../ast.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import type { ElementArgument } from "../elements.js";
import type { Atom } from "./atom.js";
import { addStart } from "./wait-group.js";
import { addWait, type ExpandContext, Label, literal, report } from "./context.js";
import {
  type AtomNode,
  type AtomProblem,
  checkAtoms,
  type GroupNode,
  NOT_HINT,
  readGroup,
  addForget,
  temporariesOf,
  addReference,
} from "./group-tree.js";

/** `start G` or `send G`: an `and` is a sequence. */
interface Operation {
  readonly context: ExpandContext;
  /** `$v = start …` binds like `start … as $v`. */
  readonly target: Target | undefined;
  readonly starts: boolean;
}

/** `start G`: an `or` starts all its operands and continues once all have started. */
export function expandStart(context: ExpandContext, { group, target }: StatementOf<"Operation">): void {
  const node = readGroup(context, group);
  if (!node || !checkAtoms(context, node, problemOfStarted)) return;
  addNode({ context, target, starts: true }, node);
  addForget(context, temporariesOf(node, true));
}

/** `send G`: an `or` sends the winning alternative. */
export function expandSend(context: ExpandContext, { group, target }: StatementOf<"Operation">): void {
  const node = readGroup(context, group, { isObserved: target !== undefined });
  if (!node || !checkAtoms(context, node, problemOfSent)) return;
  addNode({ context, target, starts: false }, node);
  addForget(context, temporariesOf(node, false));
}

function addNode(operation: Operation, node: GroupNode): void {
  const { context, target, starts } = operation;
  if (node.kind === "And") for (const operand of node.operands) addNode(operation, operand);
  else if (node.kind === "Or") addOr(operation, node.operands);
  else {
    if (starts) addStart(context, node);
    else addSent(context, node);
    const { reference } = node.atom;
    if (reference !== undefined) addReference(context, { name: reference, path: [] }, node.variable);
    if (target) addReference(context, target, node.variable);
  }
}

function addOr(operation: Operation, operands: readonly GroupNode[]): void {
  const { writer } = operation.context;
  const done = new Label();
  const branches = operands.map(() => new Label());
  const { fork, failed } = writer.beginFork(branches);
  const addReady = (isFailed: boolean): void =>
    writer.add(() => ({ kind: "Ready", fork, failed: isFailed, into: fork, target: done.address }));
  operands.forEach((operand, at) => {
    writer.label(branches[at] as Label);
    addNode(operation, operand);
    if (operation.starts) {
      addReady(false);
      writer.add(() => ({ kind: "Idle" }));
    } else writer.goto(done);
  });
  writer.label(failed);
  if (operation.starts) addReady(true);
  writer.add(() => ({ kind: "Join", count: operands.length }));
  writer.failFork(fork);
  writer.label(done);
  writer.endFork(fork);
}

function problemOfStarted({ atom, isNegated }: AtomNode): AtomProblem | undefined {
  if (isNegated) return ["C2-119", "`not` cannot be started", NOT_HINT];
  if (atom.kind !== "event" && atom.member === undefined) return undefined;
  return ["C2-118", "an event cannot be started", "`start` takes flows and actions; events are sent: `send`"];
}

const REQUESTS: Readonly<Record<"flow" | "action" | "reference", readonly string[]>> = {
  flow: ["Start", "Stop", "Finish", "Pause", "Resume"],
  action: ["Start", "Stop", "Change"],
  reference: ["Start", "Stop", "Finish", "Pause", "Resume", "Change"],
};

function problemOfSent({ atom, isNegated }: AtomNode): AtomProblem | undefined {
  if (isNegated) return ["C2-119", "`not` cannot be sent", NOT_HINT];
  if (atom.kind === "event" || (atom.kind === "reference" && !atom.member)) return undefined;
  const what = atom.kind === "flow" ? "a flow" : atom.kind === "action" ? "an action" : "a reference";
  const known = REQUESTS[atom.kind];
  if (!atom.member) {
    return ["C2-118", `${what} cannot be sent`, "write `start` to start it, or send a request: `.Start()`, `.Stop()`"];
  }
  if (known.includes(atom.member.name)) return undefined;
  const hint = `what can be sent is ${known.map((member) => `\`${member}\``).join(", ")}`;
  return ["C2-118", `${quoteText(atom.member.name)} of ${what} cannot be sent`, hint];
}

/** The temporary of the atom gets the reference of the sent event. */
function addSent({ writer }: ExpandContext, { atom, variable, isObserved }: AtomNode): void {
  const event = isObserved ? { event: variable } : {};
  if (atom.kind === "event") {
    const given = atom.name === "StartFlow" ? atom.arguments.map(shareOwnContext) : atom.arguments;
    const request = { form: "event", name: atom.name, arguments: given } as const;
    const kind = atom.isInternal ? "Emit" : "Act";
    return writer.add(() => ({ kind, request, ...event }));
  }
  if (atom.kind === "reference" && !atom.member) {
    const { value, arguments: given } = atom;
    return writer.add(() => ({ kind: "SendReference", value, arguments: given, deactivate: false, ...event }));
  }
  const name = atom.member?.name;
  const given = atom.member?.arguments ?? [];
  if (name !== "Start" || atom.kind === "reference") {
    // The member was checked to be a request.
    return addRequest(writer, atom, { request: name as "Stop", arguments: given, deactivate: false, ...event });
  }
  const all = [...atom.arguments, ...given];
  if (atom.kind === "action") {
    // INVARIANT: a sent action belongs to no flow, as in `send StartXAction()`; `start` creates an action that ends
    // with its flow.
    const request = { form: "event", name: `Start${atom.name}`, arguments: all } as const;
    return writer.add(() => ({ kind: "Act", request, ...event }));
  }
  const started = { variable: writer.newTemporary(), ...event };
  writer.add(() => ({
    kind: "StartFlow",
    flow: atom.name,
    arguments: all,
    ...started,
    activate: false,
    shareContext: false,
  }));
  return writer.add(() => ({ kind: "Forget", variables: [started.variable] }));
}

/** `context=$self.context` of `StartFlow` shares the variables with the new flow, as in NeMo Guardrails. */
function shareOwnContext(argument: ElementArgument): ElementArgument {
  const { name, value } = argument;
  const isContext = name === "context" && value.kind === "Member" && value.name === "context";
  const isOwn = isContext && value.object.kind === "Variable" && value.object.name === "self";
  return isOwn ? { name: "share_context", value: literal(true) } : argument;
}

/** Writes a request to a reference, or to all flows or actions described by an atom. */
function addRequest(
  writer: ExpandContext["writer"],
  atom: Exclude<Atom, { kind: "event" }>,
  asked: {
    readonly request: "Stop";
    readonly arguments: readonly ElementArgument[];
    readonly deactivate: boolean;
    readonly event?: string;
  },
): void {
  if (atom.kind === "reference") return writer.add(() => ({ kind: "SendReference", value: atom.value, ...asked }));
  const { request, arguments: given, deactivate, ...event } = asked;
  if (atom.kind === "flow") {
    const { name: flow, arguments: flowArguments } = atom;
    const flows = { form: "flows", flow, request, deactivate, flowArguments, arguments: given } as const;
    return writer.add(() => ({ kind: "Emit", request: flows, ...event }));
  }
  const { name: action, arguments: startArguments } = atom;
  const actions = { form: "actions", action, request, startArguments, arguments: given } as const;
  return writer.add(() => ({ kind: "Act", request: actions, ...event }));
}

/** `stop`, `activate` and `deactivate`: sequences without an assignable value. */
export function expandSequence(context: ExpandContext, statement: StatementOf<"Operation">): void {
  const { operator, target, group } = statement;
  if (target) {
    const hint = operator === "activate" ? "`start` gives a reference" : "leave out the assignment";
    report(context, "C2-122", `\`${operator}\` has no value`, { span: target.span, hint });
  }
  const nodes: AtomNode[] = [];
  const specs = group.kind === "And" ? group.operands : [group];
  for (const spec of specs) {
    if (spec.kind === "Spec") {
      const node = readGroup(context, spec);
      if (node?.kind === "Atom" && checkAtom(context, node.atom, operator)) nodes.push(node);
    } else {
      const hint = "list what belongs together with `and`, without parentheses";
      const message = `\`${spec.kind.toLowerCase()}\` is not possible after \`${operator}\``;
      report(context, "C2-119", message, { span: spec.span, hint });
    }
  }
  if (nodes.length < specs.length) return;
  for (const node of nodes) {
    if (operator === "activate") addActivate(context, node);
    else if (node.atom.kind !== "event") {
      const given = node.atom.kind === "reference" ? node.atom.arguments : [];
      const deactivate = operator === "deactivate";
      addRequest(context.writer, node.atom, { request: "Stop", deactivate, arguments: given });
    }
  }
  if (operator === "activate")
    addForget(
      context,
      nodes.flatMap((node) => temporariesOf(node, true)),
    );
}

function checkAtom(context: ExpandContext, atom: Atom, operator: Operator): boolean {
  const isWhole = atom.kind !== "event" && !atom.member;
  if (isWhole && (operator === "stop" || atom.kind !== "action")) return true;
  const what = isWhole ? "an action" : "an event";
  const takes = operator === "stop" ? "flows, actions and references to them" : "flows";
  const hint = `\`${operator}\` takes ${takes}`;
  report(context, "C2-118", `${what} is not possible after \`${operator}\``, { span: atom.span, hint });
  return false;
}

function addActivate(context: ExpandContext, { atom, variable }: AtomNode): void {
  const given = { arguments: atom.arguments, variable, activate: true };
  if (atom.kind === "reference") context.writer.add(() => ({ kind: "StartReference", value: atom.value, ...given }));
  else context.writer.add(() => ({ kind: "StartFlow", flow: atom.name, ...given, shareContext: false }));
  addWait(context, { form: "activated", variable }, { quiet: true });
}
