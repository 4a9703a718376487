/**
 * The syntax tree of the template parser as far as we accept it. The package builds more kinds; `template-check` refuses
 * them, so whatever is evaluated is one of these.
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

export type FilterArgument =
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

/** The name and the arguments of a filter, however it was written. */
export function filterCall(node: FilterExpression): {
  readonly name: string;
  readonly args: readonly FilterArgument[];
} {
  const { filter } = node;
  return filter.type === "Identifier"
    ? { name: filter.value, args: [] }
    : { name: filter.callee.value, args: filter.args };
}
