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
  /** Actions that an LLM-written flow may run; the flow ends before any other action. */
  readonly allowedActions: readonly string[];
  readonly program: Colang1Program;
}

const MAX_LENGTH = 20_000;
const MAX_LINES = 100;
const HEADER = "define flow written";
const INDENT = "  ";
const WRITTEN_HEADER = /^\s*(?:define|def)\s+(?:[\w-]+\s+)*(?:flow|subflow)\b/;

/**
 * Compiles an LLM-written flow: the longest prefix of the completion that is valid Colang and allowed for such a flow.
 * Undefined if nothing is left.
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

/** Removes surrounding blank lines, a header, and common indentation. */
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

/** Returns the flow, or the number of lines before the first invalid one; always fewer than given. */
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

/** Index of a span's first line below the header; the header itself is -1. */
function bodyLine(span: Span | undefined): number {
  return span ? positionAt(span.source, span.start).line - 2 : 0;
}

function compileWrittenFlow(id: string, flow: FlowDefinition, policy: WrittenFlowPolicy): CompiledFlow | undefined {
  const context: LowerContext = {
    locate,
    intentsOf: policy.intentsOf,
    parametersOfAction: () => undefined,
    parametersOfFlow: () => [],
    // INVARIANT: an LLM-written text is never taken for a predefined message, which bypasses output rails. Only the
    // message name is kept; its text is generated and checked like any other.
    saysItsOwnText: () => false,
  };
  // An LLM-written flow cannot raise its own priority, so modifiers and metadata are dropped. As a subflow it only runs
  // when started by id.
  const definition: FlowDefinition = { ...flow, id, isSubflow: true, modifiers: [], meta: {}, parameters: [] };
  const lowered = lowerFlow(definition, context);
  if (lowered.elements.length === 0) return undefined;
  return compileFlow(definition, lowered, { tier: "user", isRail: false }, context);
}

function locate(span: Span): SourceLocation {
  const { line, column } = positionAt(span.source, span.start);
  return { file: span.source.name, line: Math.max(1, line - 1), column: Math.max(1, column - INDENT.length) };
}

/** The limits of an LLM-written flow. */
interface WrittenFlowPolicy {
  readonly allowedActions: ReadonlySet<string>;
  readonly constants: Readonly<Record<string, unknown>>;
  intentsOf(text: string): readonly string[];
}

type IsAllowed<Kind extends Statement["kind"]> = (statement: StatementOf<Kind>, policy: WrittenFlowPolicy) => boolean;

/** Statements allowed in an LLM-written flow, except for their nested statements. INVARIANT: no others. */
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

/** INVARIANT: no completion can set a variable that controls the pipeline, such as `$skip_output_rails`. */
function isOpen({ name }: Target, { constants }: WrittenFlowPolicy): boolean {
  return !PREDEFINED_VARIABLES.has(name) && !name.startsWith("_") && !Object.hasOwn(constants, name);
}

const CONSTANT: ReadonlySet<Expression["kind"]> = new Set(["Literal", "Unary", "List", "Map"]);

function isConstant(value: Expression): boolean {
  return CONSTANT.has(value.kind) && childrenOf(value).every(isConstant);
}
