/**
 * Expression trees. They are plain JSON, because programs hold them and programs are stored and compared.
 * `start` and `end` are offsets into the source file the expression was read from.
 */
interface NodeBase {
  readonly start: number;
  readonly end: number;
}

export interface LiteralExpression extends NodeBase {
  readonly kind: "Literal";
  readonly value: string | number | boolean | null;
}

interface VariableExpression extends NodeBase {
  readonly kind: "Variable";
  readonly name: string;
}

interface ListExpression extends NodeBase {
  readonly kind: "List";
  readonly items: readonly Expression[];
}

/** A map literal `{"k": 1}`. */
export interface MapExpression extends NodeBase {
  readonly kind: "Map";
  readonly entries: readonly MapEntry[];
}

/** Without a key it is `**value`: all entries of another map. */
export interface MapEntry {
  readonly key?: Expression;
  readonly value: Expression;
}

export interface SetExpression extends NodeBase {
  readonly kind: "Set";
  readonly items: readonly Expression[];
}

/**
 * A string with expressions in it: an f-string, or any string of a dialect whose strings interpolate. A part with a format
 * or a conversion is a call that users cannot write: `{x:.2f}` is `format(x, ".2f")`, `{x!r}` is `repr(x)`,
 * `{x!a}` is `ascii(x)`.
 */
export interface TemplateExpression extends NodeBase {
  readonly kind: "Template";
  readonly parts: readonly (string | Expression)[];
}

export type UnaryOperator = "-" | "+" | "~" | "not";
/** `@` exists only in dialects with `matrixOperator`, and no type implements it. */
export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "@" | "**" | "&" | "|" | "^" | "<<" | ">>";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in" | "is" | "is not";

interface UnaryExpression extends NodeBase {
  readonly kind: "Unary";
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

interface BinaryExpression extends NodeBase {
  readonly kind: "Binary";
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `a < b <= c`: each operand is evaluated at most once, and only while the chain holds. */
export interface CompareExpression extends NodeBase {
  readonly kind: "Compare";
  readonly first: Expression;
  readonly rest: readonly { readonly operator: CompareOperator; readonly operand: Expression }[];
}

/** Short-circuits and yields an operand, not a boolean. */
interface LogicalExpression extends NodeBase {
  readonly kind: "Logical";
  readonly operator: "and" | "or";
  readonly left: Expression;
  readonly right: Expression;
}

interface ConditionalExpression extends NodeBase {
  readonly kind: "Conditional";
  readonly test: Expression;
  readonly whenTrue: Expression;
  readonly whenFalse: Expression;
}

export interface MemberExpression extends NodeBase {
  readonly kind: "Member";
  readonly object: Expression;
  readonly name: string;
}

export interface IndexExpression extends NodeBase {
  readonly kind: "Index";
  readonly object: Expression;
  readonly index: Expression;
}

export interface SliceExpression extends NodeBase {
  readonly kind: "Slice";
  readonly object: Expression;
  readonly from?: Expression;
  readonly to?: Expression;
  readonly step?: Expression;
}

/** An argument of a call; positional when `name` is absent. */
export interface Argument extends NodeBase {
  readonly name?: string;
  readonly value: Expression;
  /** `*list` stands for its items, `**map` for named arguments. */
  readonly spread?: "*" | "**";
}

export interface CallExpression extends NodeBase {
  readonly kind: "Call";
  readonly function: string;
  readonly arguments: readonly Argument[];
}

export interface MethodCallExpression extends NodeBase {
  readonly kind: "MethodCall";
  readonly object: Expression;
  readonly method: string;
  readonly arguments: readonly Argument[];
}

export type Expression =
  | LiteralExpression
  | VariableExpression
  | ListExpression
  | MapExpression
  | SetExpression
  | TemplateExpression
  | UnaryExpression
  | BinaryExpression
  | CompareExpression
  | LogicalExpression
  | ConditionalExpression
  | MemberExpression
  | IndexExpression
  | SliceExpression
  | CallExpression
  | MethodCallExpression;
