import type { StatementOf, Operator, Statement, FlowDefinition } from "../ast.js";
import { expandAwait, expandMatch, addGroup } from "./wait-group.js";
import { type ExpandContext, type FlowSignatures, type LoopLabels, variable, Label, ElementWriter } from "./context.js";
import { expandGenerateFlow, addGeneratedValue } from "./generate-value.js";
import { expandSend, expandStart, expandSequence } from "./operations.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { type GroupNode, readGroup, addForget, addReferences, temporariesOf } from "./group-tree.js";

type Expanders = {
  readonly [Kind in Statement["kind"]]: (context: ExpandContext, statement: StatementOf<Kind>) => void;
};

const OPERATIONS: Readonly<Record<Operator, (context: ExpandContext, statement: StatementOf<"Operation">) => void>> = {
  send: expandSend,
  match: expandMatch,
  start: expandStart,
  await: expandAwait,
  stop: expandSequence,
  activate: expandSequence,
  deactivate: expandSequence,
};

const RESTART_LABEL = "start_new_flow_instance";

type ValueStatement = StatementOf<"Log" | "Print" | "Priority" | "Evaluate">;

const nothing = (): void => undefined;

function expandValue({ writer }: ExpandContext, { kind, value }: ValueStatement): void {
  writer.add(() => ({ kind, value }));
}

/** Expanders of statements, by kind. */
const EXPANDERS: Expanders = {
  Operation: (context, statement) => OPERATIONS[statement.operator](context, statement),
  Assign: ({ writer }, { target: { name, path }, operator, value }) =>
    writer.add(() => ({ kind: "Set", target: { name, path }, operator, value })),
  GenerateValue: (context, { target, instructions }) =>
    context.writer.set(target, variable(addGeneratedValue(context, instructions, target.name))),
  GenerateFlow: expandGenerateFlow,
  Return: ({ writer }, { value }) => writer.add(() => ({ kind: "Return", ...(value ? { value } : {}) })),
  Log: expandValue,
  Print: expandValue,
  Priority: expandValue,
  Evaluate: expandValue,
  Global: ({ writer }, { names }) => writer.add(() => ({ kind: "Global", names: names.map(({ text }) => text) })),
  Label: ({ writer }, { name }) => {
    if (name.text === RESTART_LABEL) writer.add(() => ({ kind: "RestartPoint" }));
  },
  Docstring: nothing,
  Abort: ({ writer }) => writer.add(() => ({ kind: "Fail", isAbort: true })),
  Break: ({ writer, loop }) => loop && writer.goto(loop.end),
  Continue: ({ writer, loop }) => loop && writer.goto(loop.begin),
  Pass: nothing,
  If: expandIf,
  While: expandWhile,
  For: expandFor,
  When: expandWhen,
};

/** Writes the instructions of a statement. */
function expandStatement(context: ExpandContext, statement: Statement): void {
  const before = context.writer.at(statement.span);
  const expand = EXPANDERS[statement.kind] as (context: ExpandContext, statement: Statement) => void;
  expand(context, statement);
  context.writer.returnTo(before);
}

interface ExpandedFlow extends ReturnType<ElementWriter["finish"]> {
  readonly diagnostics: readonly Diagnostic[];
}

/** Lowers the body of a flow to instructions, given all flows of the program. */
export function expandFlow(flow: FlowDefinition, flows: FlowSignatures): ExpandedFlow {
  const writer = new ElementWriter();
  const diagnostics: Diagnostic[] = [];
  const createContext = (loop: LoopLabels | undefined): ExpandContext => ({
    writer,
    flows,
    diagnostics,
    ...(loop ? { loop } : {}),
    expandBlock: (statements, inner = loop) => {
      const context = createContext(inner);
      for (const statement of statements) expandStatement(context, statement);
    },
  });
  writer.at(flow.headerSpan);
  writer.add(() => ({ kind: "Entry" }));
  createContext(undefined).expandBlock(flow.body);
  return { ...writer.finish(), diagnostics };
}

function expandIf(context: ExpandContext, { branches, otherwise }: StatementOf<"If">): void {
  const { writer } = context;
  const end = new Label();
  for (const { condition, body } of branches) {
    const next = new Label();
    writer.add(() => ({ kind: "GotoIf", condition, when: false, target: next.address }));
    context.expandBlock(body);
    writer.goto(end);
    writer.label(next);
  }
  context.expandBlock(otherwise ?? []);
  writer.label(end);
}

function expandWhile(context: ExpandContext, { condition, body }: StatementOf<"While">): void {
  const { writer } = context;
  const begin = new Label();
  const end = new Label();
  writer.label(begin);
  writer.add(() => ({ kind: "GotoIf", condition, when: false, target: end.address }));
  context.expandBlock(body, { begin, end });
  writer.goto(begin);
  writer.label(end);
}

function expandFor(context: ExpandContext, { variable, iterable, body }: StatementOf<"For">): void {
  const { writer } = context;
  const list = writer.newTemporary();
  const index = writer.newTemporary();
  const begin = new Label();
  const end = new Label();
  const target = { name: variable.text, path: [] };
  writer.add(() => ({ kind: "BeginLoop", value: iterable, list, index }));
  writer.label(begin);
  writer.add(() => ({ kind: "NextItem", list, index, target, end: end.address }));
  context.expandBlock(body, { begin, end });
  writer.goto(begin);
  writer.label(end);
  writer.add(() => ({ kind: "Forget", variables: [list, index] }));
}

interface Case {
  readonly node: GroupNode;
  readonly body: readonly Statement[];
  readonly begin: Label;
}

/** `when`: the scope is closed before a body runs, and every body is written once. */
function expandWhen(context: ExpandContext, { cases, otherwise }: StatementOf<"When">): void {
  const { writer } = context;
  const read = cases.map(({ group, body }): Case | undefined => {
    const node = readGroup(context, group);
    return node && { node, body, begin: new Label() };
  });
  const known = read.filter((found) => found !== undefined);
  const temporaries = known.flatMap(({ node }) => temporariesOf(node, true));
  const scope = writer.newScope();
  const fork = writer.newFork();
  const failed = new Label();
  const end = new Label();
  writer.add(() => ({ kind: "OpenScope", scope }));
  writer.add(() => ({ kind: "Fork", fork, targets: known.map(({ begin }) => begin.address) }));
  for (const { node, body, begin } of known) {
    writer.label(begin);
    writer.add(() => ({ kind: "PushHandler", target: failed.address }));
    addGroup(context, node, true);
    writer.add(() => ({ kind: "PopHandler" }));
    writer.add(() => ({ kind: "Merge", fork, failed: false }));
    addReferences(context, node);
    addForget(context, temporaries);
    writer.add(() => ({ kind: "CloseScope", scope }));
    context.expandBlock(body);
    writer.goto(end);
  }
  writer.label(failed);
  writer.add(() => ({ kind: "Join", count: known.length }));
  writer.add(() => ({ kind: "Merge", fork, failed: true }));
  addForget(context, temporaries);
  writer.add(() => ({ kind: "CloseScope", scope }));
  if (otherwise) context.expandBlock(otherwise);
  else writer.add(() => ({ kind: "Fail", isAbort: false }));
  writer.label(end);
}
