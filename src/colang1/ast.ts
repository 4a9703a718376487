import type { Span } from "../diagnostics/source-file.js";
import type { Argument, Expression } from "../expressions/ast.js";

/** Syntax tree of a Colang 1.0 file, with aliases resolved. Spans point into the source. */
export interface ColangFile {
  readonly kind: "File";
  readonly imports: readonly ImportStatement[];
  readonly definitions: readonly Definition[];
  readonly span: Span;
}

/** Free text with runs of spaces collapsed; the span covers it as written. */
export interface Name {
  readonly text: string;
  readonly span: Span;
}

export interface TextLiteral {
  readonly value: string;
  readonly span: Span;
}

export interface ImportStatement {
  readonly kind: "Import";
  /** Without quotes and a leading `bot/`; `pathSpan` is the path as written. */
  readonly path: string;
  readonly pathSpan?: Span;
  readonly span: Span;
}

export interface FlowDefinition {
  readonly kind: "FlowDefinition";
  /** The name after `flow` as written, with its parameters; absent for unnamed flows. */
  readonly name?: Name;
  /** The name without parameters, or `anonymous-<file>-<line>`. */
  readonly id: string;
  /** Parameter names without the dollar sign: `define subflow check $level` has `level`. */
  readonly parameters: readonly string[];
  readonly modifiers: readonly Name[];
  readonly isSubflow: boolean;
  /** Written as `name:` without `define flow` (CO-305). */
  readonly isShorthand: boolean;
  readonly doc?: string;
  /** Values of `meta` and `priority` at the top level of the body; later ones win. */
  readonly meta: Readonly<Record<string, string | number | boolean | null>>;
  readonly body: readonly Statement[];
  /** The whole definition; `headerSpan` is its first line. */
  readonly span: Span;
  readonly headerSpan: Span;
}

interface NamedBase {
  readonly name: Name;
  readonly span: Span;
}

export type Definition =
  | FlowDefinition
  | (NamedBase & { readonly kind: "UserDefinition"; readonly examples: readonly TextLiteral[] })
  | (NamedBase & { readonly kind: "BotDefinition"; readonly variants: readonly TextLiteral[] })
  /** Its body is skipped (CO-302). */
  | (NamedBase & { readonly kind: "ActionDefinition" });

interface StatementBase {
  readonly span: Span;
  /** Full-line comments directly above, joined by newlines, without docstrings. */
  readonly comment?: string;
}

/** `user ...` is `{ any: true }`; `user "text"` has `text` and is resolved to intents by the compiler. */
export interface UserPattern {
  readonly kind: "UserPattern";
  readonly any: boolean;
  readonly intent?: Name;
  readonly text?: TextLiteral;
  readonly span: Span;
}

/** `bot x` observed, in `when` and `any`. */
export interface BotPattern {
  readonly kind: "BotPattern";
  readonly any: boolean;
  readonly intent?: Name;
  readonly span: Span;
}

/** `exists` is the bare `(k)`: present and not null. A value that is the literal `"..."` matches anything. */
export interface PropertyPattern {
  readonly name: string;
  readonly exists: boolean;
  readonly value?: Expression;
  readonly span: Span;
}

export interface EventPattern {
  readonly kind: "EventPattern";
  readonly type: Name;
  readonly properties: readonly PropertyPattern[];
  readonly span: Span;
}

export type Pattern = UserPattern | BotPattern | EventPattern;

/** A variable, or a property of one: `$a.b` is `{ name: "a", path: ["b"] }`. */
export interface Target {
  readonly name: string;
  readonly path: readonly string[];
  readonly span: Span;
}

/** Marks a kind without fields of its own. */
type NoFields = unknown;

/** Fields of the statements, by kind. */
interface Statements {
  /** `user a or user b`, `event X(...)`, or an `any` block: waits for one of the patterns. */
  Match: { readonly patterns: readonly Pattern[] };
  /** Exactly one of `any`, `value`, `text`, `intent`; `intent` with `variants` both defines and emits the message. */
  Say: {
    readonly any: boolean;
    readonly intent?: Name;
    /** `bot "text"`, or the inline text of `bot name "text"` and deeper string lines. */
    readonly variants: readonly TextLiteral[];
    /** `bot $x.y`. */
    readonly value?: Expression;
  };
  Emit: { readonly type: Name; readonly arguments: readonly Argument[] };
  Run: { readonly action: Name; readonly arguments: readonly Argument[]; readonly target?: Target };
  /** `do name(...)`, or `do $expression` with `value`. */
  Call: {
    readonly flow?: Name;
    readonly value?: Expression;
    readonly arguments: readonly Argument[];
    readonly target?: Target;
  };
  Assign: { readonly target: Target; readonly value: Expression };
  /** `$v = ...` with the instructions after the dots, if any. */
  Generate: { readonly target: Target; readonly instructions?: string };
  Return: { readonly values: readonly Expression[] };
  Label: { readonly name: Name };
  Goto: { readonly name: Name };
  Check: { readonly condition: Expression };
  Break: NoFields;
  Continue: NoFields;
  Pass: NoFields;
  Stop: NoFields;
  If: {
    readonly branches: readonly {
      readonly condition: Expression;
      readonly body: readonly Statement[];
      readonly span: Span;
    }[];
    readonly otherwise?: readonly Statement[];
  };
  While: { readonly condition: Expression; readonly body: readonly Statement[] };
  When: {
    readonly branches: readonly {
      readonly patterns: readonly Pattern[];
      readonly body: readonly Statement[];
      readonly span: Span;
    }[];
  };
}

/** A statement of a flow. */
export type Statement = {
  [Kind in keyof Statements]: StatementBase & { readonly kind: Kind } & Statements[Kind];
}[keyof Statements];

/** The statement of a kind, for tables over all statements. */
export type StatementOf<Kind extends Statement["kind"]> = Extract<Statement, { readonly kind: Kind }>;
