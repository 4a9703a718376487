import type { SourceLocation, Span } from "../../diagnostics/source-file.js";
import type { Expression, Argument } from "../../expressions/ast.js";
import type { FlowDefinition, Statement, StatementOf, Target, EventPattern, Pattern, UserPattern } from "../ast.js";
import {
  ANY,
  type Element,
  type ElementTarget,
  type SayContent,
  type ElementArgument,
  type Matcher,
  type PropertyTest,
} from "../elements.js";
import { ElementWriter } from "./element-writer.js";

/** Facts about the rest of the program needed for lowering. */
export interface LowerContext {
  /** The place of a span in the files of the user; flows from settings have no file of their own. */
  readonly locate: (span: Span) => SourceLocation;
  /** Returns the intents with exactly this example. */
  readonly intentsOf: (text: string) => readonly string[];
  /** The declared order of an action's parameters. */
  parametersOfAction(name: string): readonly string[] | undefined;
  /** The parameters of a flow, by id. */
  parametersOfFlow(id: string): readonly string[];
  /** Returns true if the bot emits the inline text, and false if a definition overrides it. */
  saysItsOwnText(statement: StatementOf<"Say">): boolean;
}

/** Context for lowering one statement. */
interface Lowering {
  readonly writer: ElementWriter;
  readonly context: LowerContext;
  /** Lowers the statements of a block, one after the other. */
  lowerBody(body: readonly Statement[]): void;
}

type LowerStatement<Kind extends Statement["kind"]> = (statement: StatementOf<Kind>, lowering: Lowering) => void;

export interface LoweredFlow {
  readonly elements: readonly Element[];
  /** The statement of each element. */
  readonly origins: readonly Statement[];
}

/**
 * Flattens a flow into elements with absolute jump targets. Never fails: the rules of `validate/` report invalid flows,
 * and a program with errors is not used.
 */
export function lowerFlow(flow: FlowDefinition, context: LowerContext): LoweredFlow {
  const writer = new ElementWriter(context.locate);
  const lowering: Lowering = {
    writer,
    context,
    lowerBody: (body) => {
      for (const statement of body)
        (LOWERERS[statement.kind] as LowerStatement<Statement["kind"]>)(statement, lowering);
    },
  };
  lowering.lowerBody(flow.body);
  return writer.finish();
}

const LOWERERS: { readonly [Kind in Statement["kind"]]: LowerStatement<Kind> } = {
  Match: (statement, { writer, context }) =>
    writer.write({ kind: "Match", matchers: lowerPatterns(statement.patterns, context.intentsOf) }, statement),
  Say: (statement, { writer, context }) => {
    if (statement.any) writer.write({ kind: "Match", matchers: [{ kind: "Bot", intents: [ANY] }] }, statement);
    else {
      const instructions = statement.comment ? { instructions: statement.comment } : {};
      writer.write({ kind: "Say", content: sayContent(statement, context), ...instructions }, statement);
    }
  },
  Emit: (statement, { writer }) => {
    const { type, arguments: given } = statement;
    writer.write({ kind: "Emit", type: type.text, arguments: lowerArguments(given, undefined) }, statement);
  },
  Run: (statement, { writer, context }) => {
    const action = statement.action.text;
    const given = lowerArguments(statement.arguments, context.parametersOfAction(action));
    writer.write({ kind: "Run", action, arguments: given, ...resultOf(statement.target) }, statement);
  },
  Call: (statement, { writer, context }) => {
    const { flow, value, target } = statement;
    const given = lowerArguments(statement.arguments, flow && context.parametersOfFlow(flow.text));
    const callee = { ...(flow ? { flow: flow.text } : {}), ...(value ? { value } : {}) };
    writer.write({ kind: "Call", ...callee, arguments: given, ...resultOf(target) }, statement);
  },
  Assign: (statement, { writer }) =>
    writer.write({ kind: "Assign", target: elementTarget(statement.target), value: statement.value }, statement),
  Generate: (statement, { writer }) => {
    const { target, instructions, comment, span } = statement;
    const literal = (value: string | null): Expression => ({
      kind: "Literal",
      value,
      start: span.start,
      end: span.end,
    });
    const given = [
      { name: "instructions", value: literal(instructions ?? comment ?? null) },
      { name: "var_name", value: literal([target.name, ...target.path].join(".")) },
    ];
    writer.write({ kind: "Run", action: "generate_value", arguments: given, ...resultOf(target) }, statement);
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
  if (value) return { type: "value", source: statement.span.source.text.slice(value.start, value.end), value };
  if (!intent) return { type: "literal", intent: "say", text };
  if (variants.length === 1 && context.saysItsOwnText(statement)) return { type: "literal", intent: intent.text, text };
  return { type: "intent", intent: intent.text };
}

function resultOf(target: Target | undefined): { readonly result?: ElementTarget } {
  return target ? { result: elementTarget(target) } : {};
}

function elementTarget({ name, path }: Target): ElementTarget {
  return { name, path };
}

/** Each condition jumps over its body to the next one; each body except the last jumps to the end. */
function lowerIf(statement: StatementOf<"If">, { writer, lowerBody }: Lowering): void {
  const end = writer.newLabel();
  const last = statement.branches.length - 1;
  for (const [index, branch] of statement.branches.entries()) {
    const next = writer.newLabel();
    writer.jumpIfNot(branch.condition, next, statement, branch.span);
    lowerBody(branch.body);
    if (index < last || statement.otherwise) writer.jump(end, statement);
    writer.place(next);
  }
  if (statement.otherwise) lowerBody(statement.otherwise);
  writer.place(end);
}

function lowerWhile(statement: StatementOf<"While">, { writer, lowerBody }: Lowering): void {
  const again = writer.newLabel();
  const exit = writer.newLabel();
  writer.place(again);
  writer.jumpIfNot(statement.condition, exit, statement);
  writer.loops.push({ exit, again });
  lowerBody(statement.body);
  writer.loops.pop();
  writer.jump(again, statement);
  writer.place(exit);
}

/** A choice of matches; each branch is a match and its body, and jumps to the end of the whole construct. */
function lowerWhen(statement: StatementOf<"When">, { writer, context, lowerBody }: Lowering): void {
  const end = writer.newLabel();
  const heads = statement.branches.map(() => writer.newLabel());
  writer.choice(heads, statement);
  for (const [index, branch] of statement.branches.entries()) {
    const matchers = lowerPatterns(branch.patterns, context.intentsOf);
    const head = heads[index];
    if (head) writer.place(head);
    writer.write({ kind: "Match", matchers }, statement, branch.span);
    lowerBody(branch.body);
    if (index < heads.length - 1) writer.jump(end, statement);
  }
  writer.place(end);
}

const QUOTED_VARIABLE = /^\$([A-Za-z_]\w*)$/;

/** Returns the variable name in an argument written as `"$name"`. */
export function quotedVariable(expression: Expression): string | undefined {
  if (expression.kind !== "Literal" || typeof expression.value !== "string") return undefined;
  return QUOTED_VARIABLE.exec(expression.value)?.[1];
}

/** Lowers arguments; positional ones are named by a declared order. */
function lowerArguments(given: readonly Argument[], order: readonly string[] | undefined): ElementArgument[] {
  let position = 0;
  return given.map((argument): ElementArgument => {
    const { start, end } = argument.value;
    const variable = quotedVariable(argument.value);
    const value = variable === undefined ? argument.value : ({ kind: "Variable", name: variable, start, end } as const);
    const name = argument.name ?? order?.[position++];
    return name === undefined ? { value } : { name, value };
  });
}

/** Returns the intents that have a text as an example. */
type IntentsOf = (text: string) => readonly string[];

/** Lowers a list of alternatives; neighbours of one kind share a matcher. */
export function lowerPatterns(patterns: readonly Pattern[], intentsOf: IntentsOf): Matcher[] {
  const runs: { readonly first: Matcher; readonly intents: Set<string> }[] = [];
  for (const pattern of patterns) {
    const matcher = lowerPattern(pattern, intentsOf);
    let run = runs.at(-1);
    if (matcher.kind === "Event" || matcher.kind !== run?.first.kind) {
      run = { first: matcher, intents: new Set() };
      runs.push(run);
    }
    if (matcher.kind !== "Event") for (const intent of matcher.intents) run.intents.add(intent);
  }
  return runs.map(({ first, intents }) =>
    first.kind === "Event" ? first : { kind: first.kind, intents: intents.has(ANY) ? [ANY] : [...intents] },
  );
}

function lowerPattern(pattern: Pattern, intentsOf: IntentsOf): Matcher {
  if (pattern.kind === "UserPattern") return { kind: "User", intents: userIntents(pattern, intentsOf) };
  if (pattern.kind === "BotPattern") {
    return { kind: "Bot", intents: pattern.any || !pattern.intent ? [ANY] : [pattern.intent.text] };
  }
  return { kind: "Event", type: pattern.type.text, properties: propertyTests(pattern) };
}

function userIntents(pattern: UserPattern, intentsOf: IntentsOf): readonly string[] {
  if (pattern.any) return [ANY];
  if (pattern.text) return intentsOf(pattern.text.value);
  return pattern.intent ? [pattern.intent.text] : [];
}

function propertyTests(pattern: EventPattern): PropertyTest[] {
  return pattern.properties.map(({ name, exists, value }): PropertyTest => {
    if (exists || !value) return { name, test: "exists" };
    if (value.kind === "Literal" && value.value === ANY) return { name, test: "any" };
    return { name, test: "equals", value };
  });
}
