import type { StatementOf, Operator, Statement } from "../ast.js";
import { expandAwait, expandMatch } from "./await.js";
import { expandFor, expandIf, expandWhile } from "./blocks.js";
import type { ExpandContext } from "./context.js";
import { expandGenerateFlow } from "./generate-flow.js";
import { addGeneratedValue } from "./generate-value.js";
import { expandSend } from "./send.js";
import { expandStart } from "./start.js";
import { expandSequence } from "./stop.js";
import { variable } from "./expressions.js";
import { expandWhen } from "./when.js";

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

/** How each statement becomes instructions. */
const EXPANDERS: Expanders = {
  Operation: (context, statement) => OPERATIONS[statement.operator](context, statement),
  Assign: ({ writer }, { target: { name, path }, operator, value }) =>
    writer.add(() => ({ kind: "Set", target: { name, path }, operator, value })),
  GenerateValue: (context, { target: { name, path }, instructions }) => {
    const value = variable(addGeneratedValue(context, instructions, name));
    context.writer.add(() => ({ kind: "Set", target: { name, path }, operator: "=", value }));
  },
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
export function expandStatement(context: ExpandContext, statement: Statement): void {
  const before = context.writer.at(statement.span);
  const expand = EXPANDERS[statement.kind] as (context: ExpandContext, statement: Statement) => void;
  expand(context, statement);
  context.writer.returnTo(before);
}
