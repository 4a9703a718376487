/** Places are offsets into the source file that an expression was read from. */
interface NodeBase {
  readonly start: number;
  readonly end: number;
}

export type UnaryOperator = "-" | "+" | "~" | "not";
/** `@` exists only in dialects with `matrixOperator`, and no type implements it. */
export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "@" | "**" | "&" | "|" | "^" | "<<" | ">>";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in" | "is" | "is not";

/** An entry of a map literal. Without a key it is `**value`: all entries of another map. */
export interface MapEntry {
  readonly key?: Expression;
  readonly value: Expression;
}

/** An argument of a call; positional if `name` is absent. */
export interface Argument extends NodeBase {
  readonly name?: string;
  readonly value: Expression;
  /** `*list` expands to its items, `**map` to named arguments. */
  readonly spread?: "*" | "**";
}

/** Fields of the expressions, by kind. INVARIANT: every object in a field that has a `kind` is an expression. */
interface Expressions {
  Literal: { readonly value: string | number | boolean | null };
  Variable: { readonly name: string };
  List: { readonly items: readonly Expression[] };
  Map: { readonly entries: readonly MapEntry[] };
  Set: { readonly items: readonly Expression[] };
  /**
   * A string with expressions in it: an f-string, or any string of a dialect whose strings interpolate. A part with a
   * format or a conversion is a call that users cannot write: `{x:.2f}` is `format(x, ".2f")`, `{x!r}` is `repr(x)`,
   * `{x!a}` is `ascii(x)`.
   */
  Template: { readonly parts: readonly (string | Expression)[] };
  Unary: { readonly operator: UnaryOperator; readonly operand: Expression };
  Binary: { readonly operator: BinaryOperator; readonly left: Expression; readonly right: Expression };
  /** `a < b <= c`: each operand is evaluated at most once, and only while the chain holds. */
  Compare: {
    readonly first: Expression;
    readonly rest: readonly { readonly operator: CompareOperator; readonly operand: Expression }[];
  };
  /** Short-circuits and yields an operand, not a boolean. */
  Logical: { readonly operator: "and" | "or"; readonly left: Expression; readonly right: Expression };
  Conditional: { readonly test: Expression; readonly whenTrue: Expression; readonly whenFalse: Expression };
  Member: { readonly object: Expression; readonly name: string };
  Index: { readonly object: Expression; readonly index: Expression };
  Slice: {
    readonly object: Expression;
    readonly from?: Expression;
    readonly to?: Expression;
    readonly step?: Expression;
  };
  Call: { readonly function: string; readonly arguments: readonly Argument[] };
  MethodCall: { readonly object: Expression; readonly method: string; readonly arguments: readonly Argument[] };
}

/** Expression trees. They are plain JSON, because programs hold them and programs are stored and compared. */
export type Expression = {
  [Kind in keyof Expressions]: NodeBase & { readonly kind: Kind } & Expressions[Kind];
}[keyof Expressions];

/** The expression of a kind, for tables over all expressions. */
export type ExpressionOf<Kind extends Expression["kind"]> = Extract<Expression, { readonly kind: Kind }>;
