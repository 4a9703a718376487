import type { Span } from "../diagnostics/source-file.js";
import type { Expression } from "../expressions/ast.js";

/**
 * The syntax tree of a Colang 2.x module, as written: nothing is classified or desugared here.
 * Spans point into the source.
 */
export interface ColangModule {
  readonly kind: "Module";
  readonly imports: readonly ImportStatement[];
  readonly flows: readonly FlowDefinition[];
  /** The module has a line `# meta: exclude from llm`. */
  readonly isHiddenFromPrompts: boolean;
  readonly span: Span;
}

/** A name as words joined by one blank; the span covers it as written. */
export interface Name {
  readonly text: string;
  readonly span: Span;
}

export interface ImportStatement {
  readonly kind: "Import";
  /** With slashes: `import shop.checkout` and `import "shop/checkout"` both have `shop/checkout`. */
  readonly path: string;
  readonly isQuoted: boolean;
  readonly pathSpan: Span;
  readonly span: Span;
}

/** A parameter or a return member; the name without `$`. */
export interface Parameter {
  readonly name: string;
  readonly default?: Expression;
  readonly span: Span;
}

export interface Decorator {
  readonly name: Name;
  readonly arguments: readonly CallArgument[];
  readonly span: Span;
}

export interface FlowDefinition {
  readonly kind: "Flow";
  /** The name, or `_anonymous_<module>_<n>`. */
  readonly id: string;
  readonly name?: Name;
  readonly decorators: readonly Decorator[];
  readonly parameters: readonly Parameter[];
  readonly returnMembers: readonly Parameter[];
  /** The text of a string literal that is the first statement. */
  readonly docstring?: string;
  readonly body: readonly Statement[];
  /** From the first decorator to the end of the body; `headerSpan` is the line that begins with `flow`. */
  readonly span: Span;
  readonly headerSpan: Span;
}

/** An argument of a flow, action or event: positional when `name` is absent. */
export interface CallArgument {
  readonly name?: string;
  readonly value: Expression;
  /** The value is the instruction of a generated value: `..."text"`. */
  readonly isGenerated: boolean;
  /** `*list` or `**map`. */
  readonly spread?: "*" | "**";
  readonly span: Span;
}

/** The notation of arguments: none, `f "a" $x=1`, or `f("a", x=1)`. */
export type ArgumentForm = "none" | "simple" | "classic";

/** A flow, action or event by name. Which of them it is depends on the whole program. */
export interface NameCallee {
  readonly kind: "NameCallee";
  readonly name: Name;
  readonly form: ArgumentForm;
  readonly arguments: readonly CallArgument[];
  /** Written in parentheses of its own: `(ask "pay?").Finished("yes")`. */
  readonly isParenthesised: boolean;
  readonly span: Span;
}

/** A reference held in a variable. */
export interface VariableCallee {
  readonly kind: "VariableCallee";
  /** Without `$`. */
  readonly variable: string;
  readonly form: ArgumentForm;
  readonly arguments: readonly CallArgument[];
  readonly span: Span;
}

export type Callee = NameCallee | VariableCallee;

/** `.Finished(...)`, or a step of a path such as `.action`; `arguments` is absent without parentheses. */
export interface SpecMember {
  readonly name: Name;
  readonly arguments?: readonly CallArgument[];
  readonly span: Span;
}

/** An atom of a group. */
export interface Spec {
  readonly kind: "Spec";
  readonly callee: Callee;
  readonly members: readonly SpecMember[];
  /** `as $x`, without `$`. */
  readonly reference?: Name;
  readonly span: Span;
}

interface NotGroup {
  readonly kind: "Not";
  readonly operand: Group;
  readonly span: Span;
}

/** Two operands or more. */
interface OperatorGroup {
  readonly kind: "And" | "Or";
  readonly operands: readonly Group[];
  readonly span: Span;
}

export type Group = Spec | NotGroup | OperatorGroup;

export type Operator = "send" | "match" | "start" | "stop" | "await" | "activate" | "deactivate";

interface StatementBase {
  readonly span: Span;
  /** Full-line comments directly above, joined by newlines. */
  readonly comment?: string;
}

/** `$x`, `$x.a["b"]`. */
export interface Target {
  /** Without `$`. */
  readonly name: string;
  readonly path: readonly TargetStep[];
  readonly span: Span;
}

export type TargetStep = { readonly member: string } | { readonly index: Expression };

interface IfBranch {
  readonly condition: Expression;
  readonly body: readonly Statement[];
  readonly span: Span;
}

interface WhenCase {
  readonly group: Group;
  readonly body: readonly Statement[];
  readonly span: Span;
}

/** Marks a kind without fields of its own. */
type NoFields = unknown;

/** Fields of the statements, by kind. */
interface Statements {
  /** `match E()`, `$v = await f`; without an operator it is `await`. */
  Operation: {
    readonly operator: Operator;
    readonly isImplicit: boolean;
    readonly group: Group;
    readonly target?: Target;
  };
  Assign: { readonly operator: "=" | "+=" | "-="; readonly target: Target; readonly value: Expression };
  /** `$x = ..."text"`. */
  GenerateValue: { readonly target: Target; readonly instructions: Expression };
  /** `...` alone on its line. */
  GenerateFlow: NoFields;
  Return: { readonly value?: Expression };
  /** `log e`, `print e`, `priority e`, `(e)`. */
  Log: { readonly value: Expression };
  Print: { readonly value: Expression };
  Priority: { readonly value: Expression };
  Evaluate: { readonly value: Expression };
  Global: {
    /** Without `$`. */
    readonly names: readonly Name[];
  };
  Label: { readonly name: Name };
  /** A string literal as a statement; `value` is a template when it interpolates. */
  Docstring: { readonly value: Expression };
  Abort: NoFields;
  Break: NoFields;
  Continue: NoFields;
  Pass: NoFields;
  If: { readonly branches: readonly IfBranch[]; readonly otherwise?: readonly Statement[] };
  While: { readonly condition: Expression; readonly body: readonly Statement[] };
  For: { readonly variable: Name; readonly iterable: Expression; readonly body: readonly Statement[] };
  When: { readonly cases: readonly WhenCase[]; readonly otherwise?: readonly Statement[] };
}

/** A statement of a flow. */
export type Statement = {
  [Kind in keyof Statements]: StatementBase & { readonly kind: Kind } & Statements[Kind];
}[keyof Statements];

/** The statement of a kind: in tables over all statements a forgotten kind is a compile error. */
export type StatementOf<Kind extends Statement["kind"]> = Extract<Statement, { readonly kind: Kind }>;
