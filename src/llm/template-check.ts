import { didYouMean } from "../diagnostics/suggestion.js";
import { findFilter, type FilterTable } from "./filter.js";
import type { PlacedToken } from "./template-parse.js";
import type { TemplateProblem } from "./template-segments.js";
import type { TemplateExpression, TemplateStatement } from "./template-tree.js";
import { TEMPLATE_TESTS } from "./template-value.js";

/** Names that are values by themselves. */
export const TEMPLATE_CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

const LOGIC = ["and", "or", "in", "not in", "==", "!=", "<", ">", "<=", ">="];
const BINARY: ReadonlySet<string> = new Set([...LOGIC, "+", "-", "*", "/", "//", "%", "~"]);
const UNARY: ReadonlySet<string> = new Set(["not", "-", "+"]);

const WORDS = {
  CallExpression: ["calls are not allowed in templates", "use a filter, such as `{{ text | upper }}`"],
  ObjectLiteral: ["maps are not supported in templates", undefined],
  SliceExpression: ["slices are not supported in templates", "use `first`, `last` or a single index"],
} as const;

export interface TemplateCheck {
  readonly problems: readonly TemplateProblem[];
  /** Variables the template reads from outside, in order of appearance. */
  readonly variables: readonly string[];
}

/** Finds what a template may not contain, and which variables it reads. */
export function checkTemplate(
  body: readonly TemplateStatement[],
  tokens: readonly PlacedToken[],
  filters: FilterTable,
): TemplateCheck {
  const variables = new Set<string>();
  const problems: TemplateProblem[] = [];
  const reported = new Set<string>();
  const report = (
    code: TemplateProblem["code"],
    message: string,
    find: (token: PlacedToken, before: PlacedToken | undefined, after: PlacedToken | undefined) => boolean,
    hint?: string,
  ): void => {
    if (reported.has(message)) return;
    reported.add(message);
    const token = tokens.find((candidate, index) => find(candidate, tokens[index - 1], tokens[index + 1])) ?? tokens[0];
    const { start, end } = token ?? { start: 0, end: 1 };
    problems.push({ code, message, start, end, ...(hint === undefined ? {} : { hint }) });
  };

  const visitFilter = (name: string): void => {
    if (findFilter(filters, name)) return;
    const hint = didYouMean(name, Object.keys(filters));
    report(
      "PR-103",
      `unknown filter \`${name}\``,
      (token, before) => before?.type === "Pipe" && token.value === name,
      hint,
    );
  };

  const visit = (node: TemplateExpression, bound: ReadonlySet<string>): void => {
    switch (node.type) {
      case "Identifier":
        if (!bound.has(node.value) && !TEMPLATE_CONSTANTS.has(node.value)) variables.add(node.value);
        return;
      case "StringLiteral":
      case "IntegerLiteral":
      case "FloatLiteral":
        return;
      case "ArrayLiteral":
      case "TupleLiteral":
        for (const item of node.value) visit(item, bound);
        return;
      case "MemberExpression":
        visit(node.object, bound);
        if (node.computed) visit(node.property, bound);
        return;
      case "UnaryExpression":
      case "BinaryExpression": {
        const operator = node.operator.value;
        const known = node.type === "UnaryExpression" ? UNARY : BINARY;
        if (!known.has(operator)) {
          report(
            "PR-101",
            `operator \`${operator}\` is not supported in templates`,
            (token) => token.value === operator,
          );
        }
        for (const part of node.type === "UnaryExpression" ? [node.argument] : [node.left, node.right])
          visit(part, bound);
        return;
      }
      case "FilterExpression": {
        visit(node.operand, bound);
        const { filter } = node;
        visitFilter(filter.type === "Identifier" ? filter.value : filter.callee.value);
        for (const argument of filter.type === "Identifier" ? [] : filter.args) {
          visit(argument.type === "KeywordArgumentExpression" ? argument.value : argument, bound);
        }
        return;
      }
      case "TestExpression": {
        visit(node.operand, bound);
        const name = node.test.value;
        if (TEMPLATE_TESTS.has(name)) return;
        const isTest = (token: PlacedToken, before: PlacedToken | undefined): boolean =>
          token.value === name && (before?.value === "is" || before?.value === "not");
        report("PR-101", `unknown test \`${name}\``, isTest, didYouMean(name, TEMPLATE_TESTS.keys()));
        return;
      }
      case "Ternary":
        for (const part of [node.condition, node.trueExpr, node.falseExpr]) visit(part, bound);
        return;
      case "SelectExpression":
        visit(node.test, bound);
        visit(node.lhs, bound);
        return;
      default:
        refuse(node);
    }
  };

  /** INVARIANT: every node kind not listed in `template-tree` ends here, so nothing else is ever evaluated. */
  const refuse = (node: { readonly type: string }): void => {
    const words = Object.hasOwn(WORDS, node.type) ? WORDS[node.type as keyof typeof WORDS] : undefined;
    const isCall = (token: PlacedToken, before: PlacedToken | undefined, after: PlacedToken | undefined): boolean =>
      token.type === "Identifier" && after?.type === "OpenParen" && before?.type !== "Pipe";
    const marks: Record<string, string> = { ObjectLiteral: "OpenCurlyBracket", SliceExpression: "Colon" };
    const mark = marks[node.type];
    const find = mark === undefined ? isCall : (token: PlacedToken): boolean => token.type === mark;
    report("PR-101", words?.[0] ?? "this construct is not supported in templates", find, words?.[1]);
  };

  const visitAll = (statements: readonly TemplateStatement[], bound: ReadonlySet<string>): void => {
    for (const node of statements) {
      if (node.type === "Comment") continue;
      if (node.type === "If") {
        visit(node.test, bound);
        visitAll(node.body, bound);
        visitAll(node.alternate, bound);
      } else if (node.type === "For") {
        visitLoop(node, bound);
      } else visit(node, bound);
    }
  };

  const visitLoop = (node: Extract<TemplateStatement, { type: "For" }>, bound: ReadonlySet<string>): void => {
    if (node.iterable.type === "SelectExpression" || node.loopvar.type !== "Identifier") {
      const message = "loops have the form `{% for x in list %}` in templates";
      report("PR-101", message, (token) => token.value === "for", "put conditions into an `{% if %}` inside the loop");
      return;
    }
    visit(node.iterable, bound);
    visitAll(node.body, new Set([...bound, node.loopvar.value, "loop"]));
    visitAll(node.defaultBlock, bound);
  };

  visitAll(body, new Set());
  return { problems, variables: [...variables] };
}

/** Where a variable is first read, for a complaint about it. */
export function findVariable(tokens: readonly PlacedToken[], name: string): PlacedToken | undefined {
  return tokens.find((token, index) => {
    const before = tokens[index - 1];
    return token.type === "Identifier" && token.value === name && before?.type !== "Dot" && before?.type !== "Pipe";
  });
}
