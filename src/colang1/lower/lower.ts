import type { FlowDefinition, Statement, Target } from "../ast.js";
import { ANY, type Element, type ElementTarget, type SayContent } from "../elements.js";
import { ElementWriter } from "./element-writer.js";
import { lowerArguments } from "./lower-arguments.js";
import { lowerIf, lowerWhen, lowerWhile } from "./lower-blocks.js";
import type { LowerContext, Lowering } from "./lower-context.js";
import { lowerPatterns } from "./lower-patterns.js";

/** A statement of one kind; `Break`, `Continue`, `Pass` and `Stop` share a type. */
export type StatementOf<Kind extends Statement["kind"]> = Statement & { readonly kind: Kind };

type LowerStatement<Kind extends Statement["kind"]> = (statement: StatementOf<Kind>, lowering: Lowering) => void;

export interface LoweredFlow {
  readonly elements: readonly Element[];
  /** The statement that each element was made from. */
  readonly origins: readonly Statement[];
}

/**
 * Flattens a flow into elements with absolute jump targets (spec 5). It never fails: what is wrong with a flow is
 * found by the rules, and a program with errors is not used.
 */
export function lowerFlow(flow: FlowDefinition, context: LowerContext): LoweredFlow {
  const writer = new ElementWriter(context.locate);
  const lowering: Lowering = {
    writer,
    context,
    lowerBody: (body) => {
      for (const statement of body) lowerStatement(statement, lowering);
    },
  };
  lowering.lowerBody(flow.body);
  return writer.finish();
}

function lowerStatement(statement: Statement, lowering: Lowering): void {
  const lower = LOWERERS[statement.kind] as LowerStatement<Statement["kind"]>;
  lower(statement, lowering);
}

const LOWERERS: { readonly [Kind in Statement["kind"]]: LowerStatement<Kind> } = {
  Match: (statement, { writer, context }) =>
    writer.write({ kind: "Match", matchers: lowerPatterns(statement.patterns, context) }, statement),
  Say: (statement, { writer, context }) => {
    if (statement.any) writer.write({ kind: "Match", matchers: [{ kind: "Bot", intents: [ANY] }] }, statement);
    else {
      const instructions = statement.comment ? { instructions: statement.comment } : {};
      writer.write({ kind: "Say", content: sayContent(statement, context), ...instructions }, statement);
    }
  },
  Emit: (statement, { writer }) =>
    writer.write(
      { kind: "Emit", type: statement.type.text, arguments: lowerArguments(statement.arguments, undefined) },
      statement,
    ),
  Run: (statement, { writer, context }) => {
    const order = context.parametersOfAction(statement.action.text);
    writer.write(
      {
        kind: "Run",
        action: statement.action.text,
        arguments: lowerArguments(statement.arguments, order),
        ...resultOf(statement.target),
      },
      statement,
    );
  },
  Call: (statement, { writer, context }) => {
    const order = statement.flow ? context.parametersOfFlow(statement.flow.text) : undefined;
    writer.write(
      {
        kind: "Call",
        ...(statement.flow ? { flow: statement.flow.text } : {}),
        ...(statement.value ? { value: statement.value } : {}),
        arguments: lowerArguments(statement.arguments, order),
        ...resultOf(statement.target),
      },
      statement,
    );
  },
  Assign: (statement, { writer }) =>
    writer.write({ kind: "Assign", target: elementTarget(statement.target), value: statement.value }, statement),
  Generate: (statement, { writer }) => {
    const place = { start: statement.span.start, end: statement.span.end };
    const instructions = statement.instructions ?? statement.comment ?? null;
    const name = [statement.target.name, ...statement.target.path].join(".");
    writer.write(
      {
        kind: "Run",
        action: "generate_value",
        arguments: [
          { name: "instructions", value: { kind: "Literal", value: instructions, ...place } },
          { name: "var_name", value: { kind: "Literal", value: name, ...place } },
        ],
        ...resultOf(statement.target),
      },
      statement,
    );
  },
  Return: (statement, { writer }) => writer.write({ kind: "Return", values: statement.values }, statement),
  Check: (statement, { writer }) => writer.write({ kind: "Check", condition: statement.condition }, statement),
  Stop: (statement, { writer }) => writer.write({ kind: "Stop" }, statement),
  Pass: () => {},
  Label: (statement, { writer }) => writer.place(writer.named(statement.name.text)),
  Goto: (statement, { writer }) => writer.jump(writer.named(statement.name.text), statement),
  Break: (statement, { writer }) => {
    const loop = writer.loops.at(-1);
    if (loop) writer.jump(loop.exit, statement);
  },
  Continue: (statement, { writer }) => {
    const loop = writer.loops.at(-1);
    if (loop) writer.jump(loop.again, statement);
  },
  If: lowerIf,
  While: lowerWhile,
  When: lowerWhen,
};

function sayContent(statement: StatementOf<"Say">, context: LowerContext): SayContent {
  const { intent, value, variants } = statement;
  const text = variants[0]?.value ?? "";
  if (value) return { type: "value", source: textOf(statement.span.source.text, value), value };
  if (!intent) return { type: "literal", intent: "say", text };
  if (variants.length === 1 && context.saysItsOwnText(statement)) return { type: "literal", intent: intent.text, text };
  return { type: "intent", intent: intent.text };
}

function textOf(source: string, place: { readonly start: number; readonly end: number }): string {
  return source.slice(place.start, place.end);
}

function resultOf(target: Target | undefined): { readonly result?: ElementTarget } {
  return target ? { result: elementTarget(target) } : {};
}

function elementTarget({ name, path }: Target): ElementTarget {
  return { name, path };
}
