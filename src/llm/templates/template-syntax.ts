import { TemplateError } from "./template-error.js";

/** A token of the template lexer. */
export interface TemplateToken {
  readonly type: string;
  readonly value: string;
}

/** The parts of the template package that are used: its lexer and its parser. */
export interface TemplateSyntax {
  readonly tokenize: (text: string) => readonly TemplateToken[];
  readonly parse: (tokens: readonly TemplateToken[]) => { readonly body: readonly unknown[] };
}

let loaded: TemplateSyntax | undefined;
let loading: Promise<TemplateSyntax> | undefined;

/**
 * Loads the template package on first use, so that an import costs nothing without templates.
 *
 * @example
 * ```ts
 * await loadTemplateSyntax();
 * const { template } = compileTemplate("Hello {{ name }}", dialect);
 * ```
 */
export function loadTemplateSyntax(): Promise<TemplateSyntax> {
  loading ??= import("@huggingface/jinja").then(({ tokenize, parse }) => {
    loaded = { tokenize, parse: (tokens) => parse(tokens as Parameters<typeof parse>[0]) };
    return loaded;
  });
  return loading;
}

/** Returns the package after it was loaded. */
export function templateSyntax(): TemplateSyntax {
  if (loaded) return loaded;
  throw new TemplateError(
    "templates are compiled before the template engine was loaded; await `loadTemplateSyntax()` first",
  );
}

/**
 * The part of the syntax tree of the template parser that is accepted. The package builds more kinds; `compile-template`
 * refuses them.
 */
export type TemplateExpression =
  | { readonly type: "Identifier"; readonly value: string }
  | { readonly type: "StringLiteral"; readonly value: string }
  | { readonly type: "IntegerLiteral"; readonly value: number }
  | { readonly type: "FloatLiteral"; readonly value: number }
  | { readonly type: "ArrayLiteral"; readonly value: readonly TemplateExpression[] }
  | { readonly type: "TupleLiteral"; readonly value: readonly TemplateExpression[] }
  | {
      readonly type: "MemberExpression";
      readonly object: TemplateExpression;
      readonly property: TemplateExpression;
      readonly computed: boolean;
    }
  | {
      readonly type: "UnaryExpression";
      readonly operator: { readonly value: string };
      readonly argument: TemplateExpression;
    }
  | {
      readonly type: "BinaryExpression";
      readonly operator: { readonly value: string };
      readonly left: TemplateExpression;
      readonly right: TemplateExpression;
    }
  | FilterExpression
  | {
      readonly type: "TestExpression";
      readonly operand: TemplateExpression;
      readonly negate: boolean;
      readonly test: { readonly value: string };
    }
  | {
      readonly type: "Ternary";
      readonly condition: TemplateExpression;
      readonly trueExpr: TemplateExpression;
      readonly falseExpr: TemplateExpression;
    }
  | { readonly type: "SelectExpression"; readonly lhs: TemplateExpression; readonly test: TemplateExpression };

export interface FilterExpression {
  readonly type: "FilterExpression";
  readonly operand: TemplateExpression;
  readonly filter:
    | { readonly type: "Identifier"; readonly value: string }
    | {
        readonly type: "CallExpression";
        readonly callee: { readonly type: "Identifier"; readonly value: string };
        readonly args: readonly FilterArgument[];
      };
}

type FilterArgument =
  | TemplateExpression
  | {
      readonly type: "KeywordArgumentExpression";
      readonly key: { readonly value: string };
      readonly value: TemplateExpression;
    };

export type TemplateStatement =
  | TemplateExpression
  | { readonly type: "Comment" }
  | {
      readonly type: "If";
      readonly test: TemplateExpression;
      readonly body: readonly TemplateStatement[];
      readonly alternate: readonly TemplateStatement[];
    }
  | {
      readonly type: "For";
      readonly loopvar: { readonly type: "Identifier"; readonly value: string };
      readonly iterable: TemplateExpression;
      readonly body: readonly TemplateStatement[];
      readonly defaultBlock: readonly TemplateStatement[];
    };

/** Returns the name and the arguments of a filter. */
export function filterCall(node: FilterExpression): {
  readonly name: string;
  readonly args: readonly FilterArgument[];
} {
  const { filter } = node;
  return filter.type === "Identifier"
    ? { name: filter.value, args: [] }
    : { name: filter.callee.value, args: filter.args };
}
