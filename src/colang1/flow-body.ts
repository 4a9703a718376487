import { isError } from "../diagnostics/diagnostic.js";
import {
  createSourceFile,
  positionAt,
  type SourceFile,
  type SourceLocation,
  type Span,
} from "../diagnostics/source-file.js";
import type { FlowDefinition, Statement, StatementOf, Pattern, Target } from "./ast.js";
import { compileFlow } from "./compile-flow.js";
import type { Colang1Program, CompiledFlow } from "./elements.js";
import { type LowerContext, lowerFlow } from "./lower/lower.js";
import { parseColang1 } from "./parse/parse.js";
import { statementsOf } from "./walk.js";
import type { Expression } from "../expressions/ast.js";
import { childrenOf } from "../expressions/walk-expression.js";
import { PREDEFINED_VARIABLES } from "./predefined-variables.js";

interface FlowBodyOptions {
  /** Actions that a flow written by a model may run; all others end it there. */
  readonly allowedActions: readonly string[];
  readonly program: Colang1Program;
}

const MAX_LENGTH = 20_000;
const MAX_LINES = 100;
const HEADER = "define flow written";
const INDENT = "  ";
const WRITTEN_HEADER = /^\s*(?:define|def)\s+(?:[\w-]+\s+)*(?:flow|subflow)\b/;

/**
 * Compiles a flow that a model wrote: the longest beginning of the completion that is Colang and allowed for
 * such a flow. Undefined when nothing is left.
 *
 * @example
 * ```ts
 * compileFlowBody("f1", "bot greet\nthen we wave", { allowedActions: [], program })?.sourceText; // "bot greet"
 * ```
 */
export function compileFlowBody(id: string, completion: string, options: FlowBodyOptions): CompiledFlow | undefined {
  const { constants, userMessages } = options.program;
  const intents = Object.keys(userMessages);
  const policy: WrittenFlowPolicy = {
    allowedActions: new Set(options.allowedActions),
    constants,
    intentsOf: (text) => intents.filter((intent) => userMessages[intent]?.includes(text)),
  };
  let lines = bodyLines(completion);
  while (lines.length > 0) {
    const source = createSourceFile(id, [HEADER, ...lines.map((line) => INDENT + line)].join("\n"));
    const { flow, goodLines } = readBody(source, lines.length, policy);
    if (flow) return compileWrittenFlow(id, flow, policy);
    lines = lines.slice(0, goodLines);
  }
  return undefined;
}

/** Without blank lines at the ends, a header of its own, and indentation that all lines share. */
function bodyLines(completion: string): string[] {
  const all = completion.slice(0, MAX_LENGTH).replaceAll("\t", INDENT).split(/\r?\n/);
  if (completion.length > MAX_LENGTH) all.pop();
  const lines = all.slice(all.findIndex((line) => line.trim() !== ""));
  if (WRITTEN_HEADER.test(lines[0] ?? "")) lines.shift();
  const kept = lines.slice(0, MAX_LINES);
  const indents = kept.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const shared = Math.min(...indents);
  return indents.length === 0 ? [] : kept.map((line) => line.slice(shared).trimEnd());
}

/** The flow, or the number of lines before the first that is wrong; always fewer than there are. */
function readBody(
  source: SourceFile,
  count: number,
  policy: WrittenFlowPolicy,
): { readonly flow?: FlowDefinition; readonly goodLines: number } {
  const { file, diagnostics } = parseColang1(source);
  const [flow] = file.definitions;
  const wrong = diagnostics.filter(isError).map((diagnostic) => bodyLine(diagnostic.span));
  if (flow?.kind !== "FlowDefinition" || file.definitions.length !== 1) return { goodLines: 0 };
  for (const statement of statementsOf(flow.body)) {
    const isAllowed = ALLOWED[statement.kind] as IsAllowed<Statement["kind"]> | undefined;
    if (!isAllowed?.(statement, policy)) wrong.push(bodyLine(statement.span));
  }
  if (flow.body.length === 0) return { goodLines: 0 };
  if (wrong.length === 0) return { flow, goodLines: count };
  return { goodLines: Math.max(0, Math.min(...wrong, count - 1)) };
}

/** The index of a span's first line below the header; the header itself is -1. */
function bodyLine(span: Span | undefined): number {
  return span ? positionAt(span.source, span.start).line - 2 : 0;
}

function compileWrittenFlow(id: string, flow: FlowDefinition, policy: WrittenFlowPolicy): CompiledFlow | undefined {
  const context: LowerContext = {
    locate,
    intentsOf: policy.intentsOf,
    parametersOfAction: () => undefined,
    parametersOfFlow: () => [],
    // INVARIANT: a text written by the model is never taken for a predefined message, which output rails would not see.
    // Only the name of the message is kept; its text is generated and checked like any other.
    saysItsOwnText: () => false,
  };
  // A flow of a model cannot raise its own priority, so modifiers and metadata are dropped. As a subflow the
  // flow runs only when it is started by id.
  const definition: FlowDefinition = { ...flow, id, isSubflow: true, modifiers: [], meta: {}, parameters: [] };
  const lowered = lowerFlow(definition, context);
  if (lowered.elements.length === 0) return undefined;
  return compileFlow(definition, lowered, { tier: "user", isRail: false }, context);
}

function locate(span: Span): SourceLocation {
  const { line, column } = positionAt(span.source, span.start);
  return { file: span.source.name, line: Math.max(1, line - 1), column: Math.max(1, column - INDENT.length) };
}

/** The limits of a flow that a model wrote. */
interface WrittenFlowPolicy {
  readonly allowedActions: ReadonlySet<string>;
  readonly constants: Readonly<Record<string, unknown>>;
  intentsOf(text: string): readonly string[];
}

type IsAllowed<Kind extends Statement["kind"]> = (statement: StatementOf<Kind>, policy: WrittenFlowPolicy) => boolean;

/** Statements that a flow that a model wrote may have, apart from the statements inside them. INVARIANT: no others. */
const ALLOWED: { readonly [Kind in Statement["kind"]]?: IsAllowed<Kind> } = {
  Match: ({ patterns }, policy) => patterns.every((pattern) => isUserPattern(pattern, policy)),
  When: ({ branches }, policy) =>
    branches.every(({ patterns }) => patterns.every((pattern) => isUserPattern(pattern, policy))),
  Say: ({ any, intent }) => !any && intent !== undefined,
  Assign: ({ target, value }, policy) => isOpen(target, policy) && isConstant(value),
  Generate: ({ target }, policy) => isOpen(target, policy),
  Run: ({ action, target }, policy) =>
    policy.allowedActions.has(action.text) && (target === undefined || isOpen(target, policy)),
  If: () => true,
  Pass: () => true,
};

function isUserPattern(pattern: Pattern, policy: WrittenFlowPolicy): boolean {
  if (pattern.kind !== "UserPattern") return false;
  return pattern.text === undefined || policy.intentsOf(pattern.text.value).length > 0;
}

/** INVARIANT: no completion can set a variable that steers the pipeline, such as `$skip_output_rails`. */
function isOpen({ name }: Target, { constants }: WrittenFlowPolicy): boolean {
  return !PREDEFINED_VARIABLES.has(name) && !name.startsWith("_") && !Object.hasOwn(constants, name);
}

const CONSTANT: ReadonlySet<Expression["kind"]> = new Set(["Literal", "Unary", "List", "Map"]);

function isConstant(value: Expression): boolean {
  return CONSTANT.has(value.kind) && childrenOf(value).every(isConstant);
}
