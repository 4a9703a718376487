import { TemplateError } from "../../diagnostics/errors.js";
import type { MaybePromise } from "../../engine/async.js";

/** A token of the template lexer. */
export interface TemplateToken {
  readonly type: string;
  readonly value: string;
}

/** The parts of the template package in use: its lexer and its parser. */
export interface TemplateSyntax {
  readonly tokenize: (text: string) => readonly TemplateToken[];
  readonly parse: (tokens: readonly TemplateToken[]) => { readonly body: readonly unknown[] };
}

let loaded: TemplateSyntax | undefined;
let loading: Promise<TemplateSyntax> | undefined;

/**
 * Loads the template package on first use, so that importing this package is cheap without templates.
 *
 * @example
 * ```ts
 * await loadTemplateSyntax();
 * const { template } = compileTemplate("Hello {{ name }}", dialect);
 * ```
 */
export function loadTemplateSyntax(): MaybePromise<TemplateSyntax> {
  if (loaded !== undefined) return loaded;
  loading ??= import("@huggingface/jinja").then(({ tokenize, parse }) => {
    loaded = { tokenize, parse: (tokens) => parse(tokens as Parameters<typeof parse>[0]) };
    return loaded;
  });
  return loading;
}

/** Returns the loaded package. */
export function templateSyntax(): TemplateSyntax {
  if (loaded) return loaded;
  throw new TemplateError(
    "templates are compiled before the template engine was loaded; await `loadTemplateSyntax()` first",
  );
}

type Node<Type extends string, Fields = unknown> = { readonly type: Type } & Readonly<Fields>;
type Valued<Value> = Readonly<{ value: Value }>;

/**
 * The supported part of the template parser's syntax tree. The package builds other kinds too, which `compile-template`
 * rejects.
 */
export type TemplateExpression =
  | Node<"Identifier" | "StringLiteral", Valued<string>>
  | Node<"IntegerLiteral" | "FloatLiteral", Valued<number>>
  | Node<"ArrayLiteral" | "TupleLiteral", Valued<readonly TemplateExpression[]>>
  | Node<"MemberExpression", { object: TemplateExpression; property: TemplateExpression; computed: boolean }>
  | CallExpression
  | SliceExpression
  | Node<"UnaryExpression", { operator: Valued<string>; argument: TemplateExpression }>
  | Node<"BinaryExpression", { operator: Valued<string>; left: TemplateExpression; right: TemplateExpression }>
  | FilterExpression
  | Node<"TestExpression", { operand: TemplateExpression; negate: boolean; test: Valued<string> }>
  | Node<"Ternary", { condition: TemplateExpression; trueExpr: TemplateExpression; falseExpr: TemplateExpression }>
  | Node<"SelectExpression", { lhs: TemplateExpression; test: TemplateExpression }>;

/** Only the views of a map, such as `map.items()`, are supported. */
export type CallExpression = Node<"CallExpression", { callee: TemplateExpression; args: readonly FilterArgument[] }>;

/** Stands in brackets only. */
export type SliceExpression = Node<
  "SliceExpression",
  { [Bound in "start" | "stop" | "step"]?: TemplateExpression | undefined }
>;

type FilterCall = Node<"CallExpression", { callee: TemplateExpression; args: readonly FilterArgument[] }>;

export type FilterExpression = Node<
  "FilterExpression",
  { operand: TemplateExpression; filter: Node<"Identifier", Valued<string>> | FilterCall | Node<"MemberExpression"> }
>;

type FilterArgument =
  | TemplateExpression
  | Node<"KeywordArgumentExpression", { key: Valued<string>; value: TemplateExpression }>;

type Block = readonly TemplateStatement[];

export type TemplateStatement =
  | TemplateExpression
  | Node<"Comment">
  | Node<"If", { test: TemplateExpression; body: Block; alternate: Block }>
  | Node<"Set", { assignee: TemplateExpression; value: TemplateExpression | null }>
  | Node<"For", { loopvar: TemplateExpression; iterable: TemplateExpression; body: Block; defaultBlock: Block }>;

/**
 * Returns the name and the arguments of a filter; undefined if more follows, as in `list | join("-")[1:]`, which the
 * parser accepts.
 */
export function filterCall({
  filter,
}: FilterExpression): { readonly name: string; readonly args: readonly FilterArgument[] } | undefined {
  if (filter.type === "Identifier") return { name: filter.value, args: [] };
  if (filter.type !== "CallExpression" || filter.callee.type !== "Identifier") return undefined;
  return { name: filter.callee.value, args: filter.args };
}
