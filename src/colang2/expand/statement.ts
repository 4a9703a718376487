import type { StatementOf, Operator, Statement, FlowDefinition } from "../ast.js";
import { expandAwait, expandMatch } from "./await.js";
import { expandFor, expandIf, expandWhile } from "./blocks.js";
import type { ExpandContext, FlowSignatures, LoopLabels } from "./context.js";
import { expandGenerateFlow, addGeneratedValue } from "./generate-value.js";
import { expandSend } from "./send.js";
import { expandStart } from "./start.js";
import { expandSequence } from "./stop.js";
import { variable } from "./expressions.js";
import { expandWhen } from "./when.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { ElementWriter } from "./element-writer.js";

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
