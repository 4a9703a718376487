import { isError } from "../diagnostics/diagnostic.js";
import { createSourceFile, positionAt } from "../diagnostics/source-file.js";
import { compileAddedFlows } from "./compile.js";
import { parseColang2 } from "./parse/parse.js";
import type { CompiledFlow } from "./program.js";
import { walkExpression } from "../expressions/walk-expression.js";
import type { Expression } from "../expressions/ast.js";
import { splitActionEvent, isInternalEvent, classifyName } from "./event-names.js";
import type { Decorator, FlowDefinition, StatementOf, Spec, Statement, Target } from "./ast.js";
import { COLANG_2_DIALECT } from "./expression-dialect.js";
import { groupsOf, specsOf, walkExpressions, walkStatements } from "./walk.js";
import { RAIL_VARIABLES } from "../engine/context-variables.js";

/** Facts about the program to which flows are added. */
interface WrittenFlowsOptions {
  /** The flows there are, by name. */
  readonly definitions: ReadonlyMap<string, CompiledFlow>;
  /** Actions that a flow written by a model may run and events that it may send; no others. */
  readonly allowedActions: readonly string[];
}

interface WrittenFlows {
  /** Those whose names are new; empty when there are problems. */
  readonly flows: readonly CompiledFlow[];
  /** Reasons why the text is not used, which quote nothing of it; empty when it is used. */
  readonly problems: readonly string[];
}

const MAX_LENGTH = 20_000;
const MAX_FLOWS = 10;
const MAX_LINES = 400;

/**
 * Compiles Colang that a model, as a rule, wrote during the conversation. It is refused as a whole
 * when it does not compile, is too long, or would do what only flows of the program may: import, run actions and send events
 * that are not allowed, touch global variables, stop flows by their names.
 *
 * @example
 * ```ts
 * const { flows } = compileWrittenFlows('flow bot wave\n  bot say "Hi"', { definitions, allowedActions: [] });
 * flows[0]?.id; // "bot wave"
 * ```
 */
export function compileWrittenFlows(text: string, options: WrittenFlowsOptions): WrittenFlows {
  const refuse = (...problems: string[]): WrittenFlows => ({ flows: [], problems });
  if (text.length > MAX_LENGTH || text.split("\n").length > MAX_LINES) return refuse("the text is too long");
  const source = createSourceFile("written", text);
  const { ast, diagnostics: parsed } = parseColang2(source, { maxProblems: 20, maxNesting: 20 });
  const wrong = parsed.filter(isError);
  if (wrong.length > 0) {
    return refuse(
      ...wrong.map(({ code, span }) => `${code} in line ${span ? positionAt(source, span.start).line : 1}`),
    );
  }
  if (ast.imports.length > 0) return refuse("an import");
  if (ast.flows.length === 0) return refuse("no flow");
  if (ast.flows.length > MAX_FLOWS) return refuse(`more than ${MAX_FLOWS} flows`);
  const written = new Set(ast.flows.map(({ id }) => id));
  const flows = { has: (name: string): boolean => options.definitions.has(name) || written.has(name) };
  const policy = { allowedActions: new Set(options.allowedActions), flows };
  const fresh = ast.flows.filter(({ id }) => !options.definitions.has(id));
  const problems = fresh.flatMap((flow) => problemsOfWrittenFlow(flow, policy));
  if (problems.length > 0) return refuse(...new Set(problems));
  const compiled = compileAddedFlows(source, options.definitions);
  const errors = compiled.diagnostics.filter(isError);
  return errors.length > 0 ? refuse(...errors.map(({ code }) => code)) : { flows: compiled.flows, problems: [] };
}

/** The limits of a flow that a model wrote. */
interface WrittenFlowPolicy {
  /** Actions that it may run and events that it may send. */
  readonly allowedActions: ReadonlySet<string>;
  /** Names of all flows of the program, and of those written with it. */
  readonly flows: { has(name: string): boolean };
}

/** Flows that others look for by their names, so that defining one would change the program. */
const HOOKS: ReadonlySet<string> = new Set(["main", "input rails", "output rails", "retrieval rails"]);

/** Variables through which the library and the rails talk to each other. */
const STEERING: ReadonlySet<string> = new Set([
  "self",
  "system",
  "user_message",
  "bot_message",
  "last_user_message",
  "last_bot_message",
  "relevant_chunks",
  "relevant_chunks_sep",
  "retrieved_for",
  ...RAIL_VARIABLES,
]);

/** Of an action as a value, or of the configuration. */
const CLOSED_FUNCTIONS: ReadonlySet<string> = new Set(["action"]);

/** The sign of a prompt template in a docstring; a template may read all global variables. */
const TEMPLATE = /\{[{%]/;

type IsAllowed<Kind extends Statement["kind"]> = (statement: StatementOf<Kind>, policy: WrittenFlowPolicy) => boolean;

const always = (): boolean => true;

const never = (): boolean => false;

const ALLOWED: { readonly [Kind in Statement["kind"]]: IsAllowed<Kind> } = {
  Operation: (statement, policy) =>
    specsOf(statement.group).every((spec) => isAllowedSpec(statement, spec, policy)) &&
    (statement.target === undefined || isOwn(statement.target)) &&
    specsOf(statement.group).every(({ reference }) => reference === undefined || isOpen(reference.text)),
  When: (statement, policy) =>
    groupsOf(statement).every(({ group }) =>
      specsOf(group).every(
        (spec) => isAwaitable(spec, policy) && (spec.reference === undefined || isOpen(spec.reference.text)),
      ),
    ),
  Assign: ({ target }) => isOwn(target),
  GenerateValue: ({ target }) => isOwn(target),
  For: ({ variable }) => isOpen(variable.text),
  // INVARIANT: no completion reads or sets a variable that steers the program.
  Global: never,
  // It exists for its effect on a value, and the value may be one of the caller.
  Evaluate: never,
  Print: never,
  GenerateFlow: always,
  Return: always,
  Log: always,
  Priority: always,
  Label: always,
  Docstring: ({ value, span }) => !TEMPLATE.test(span.source.text.slice(value.start, value.end)),
  Abort: always,
  Break: always,
  Continue: always,
  Pass: always,
  If: always,
  While: always,
};

/** Returns the reasons why a model may not write the flow; empty when it may. */
function problemsOfWrittenFlow(flow: FlowDefinition, policy: WrittenFlowPolicy): string[] {
  const problems: string[] = [];
  if (flow.name === undefined) problems.push("a flow without a name");
  if (HOOKS.has(flow.id) || /^_(?!dynamic_)/.test(flow.id)) problems.push("a name that is not free");
  if (!flow.decorators.every(isAllowedDecorator)) problems.push("a decorator other than `@meta`");
  walkStatements(flow.body, (statement) => {
    const isAllowed = ALLOWED[statement.kind] as IsAllowed<Statement["kind"]>;
    if (!isAllowed(statement, policy)) problems.push(`a statement that may not be there: ${statement.kind}`);
  });
  const visit = (part: Expression): void => {
    if (part.kind === "Call" && CLOSED_FUNCTIONS.has(part.function)) problems.push("a function that may not be there");
    // INVARIANT: expressions are pure, since a value may be shared with the caller under any name.
    if (part.kind === "MethodCall" && COLANG_2_DIALECT.mutatingMethods.has(part.method)) {
      problems.push(`a method that changes a value: ${part.method}`);
    }
    if (part.kind === "Variable" && part.name === "system") problems.push("`$system`");
  };
  walkExpressions(flow, visit);
  for (const { default: value } of [...flow.parameters, ...flow.returnMembers]) {
    if (value !== undefined) walkExpression(value, visit);
  }
  return [...new Set(problems)];
}

function isAllowedDecorator({ name, arguments: given }: Decorator): boolean {
  return (
    name.text === "meta" &&
    given.every(({ value }) => {
      if (value.kind !== "Literal") return false;
      return typeof value.value === "boolean" || typeof value.value === "string";
    })
  );
}

function isAllowedSpec({ operator }: StatementOf<"Operation">, spec: Spec, policy: WrittenFlowPolicy): boolean {
  switch (operator) {
    case "match":
      return true;
    case "await":
      return isAwaitable(spec, policy);
    case "start":
    case "activate":
      return isStartable(spec, policy);
    case "send":
      return isSendable(spec, policy);
    case "stop":
      return spec.callee.kind === "VariableCallee";
    case "deactivate":
      return false;
  }
}

function isAwaitable(spec: Spec, policy: WrittenFlowPolicy): boolean {
  // Only the events of a reference may be awaited: a bare variable may hold an action, which would run.
  if (spec.callee.kind === "VariableCallee") return spec.members.length > 0;
  const kind = classifyName(spec.callee.name.text, policy.flows);
  return spec.members.length > 0 || kind === "event" || isStartable(spec, policy);
}

function isStartable({ callee }: Spec, policy: WrittenFlowPolicy): boolean {
  if (callee.kind === "VariableCallee") return false;
  const kind = classifyName(callee.name.text, policy.flows);
  return kind === "flow" || (kind === "action" && policy.allowedActions.has(callee.name.text));
}

function isSendable(spec: Spec, policy: WrittenFlowPolicy): boolean {
  if (spec.callee.kind === "VariableCallee" || spec.members.length > 0) return false;
  const { text } = spec.callee.name;
  return policy.allowedActions.has(text) && !isInternalEvent(text) && splitActionEvent(text) === undefined;
}

/** A variable of the flow itself; a member of one may belong to a value of the caller. */
function isOwn({ name, path }: Target): boolean {
  return path.length === 0 && isOpen(name);
}

function isOpen(name: string): boolean {
  return !STEERING.has(name) && !name.startsWith("_");
}
