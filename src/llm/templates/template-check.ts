import { didYouMean } from "../../diagnostics/suggestion.js";
import { findFilter, type FilterTable } from "./filter.js";
import type { PlacedToken } from "./template-parse.js";
import type { TemplateProblem } from "./template-segments.js";
import { filterCall, type FilterExpression, type TemplateExpression, type TemplateStatement } from "./template-tree.js";
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

/** The token that shows where such a node is. */
const MARKS = { ObjectLiteral: "OpenCurlyBracket", SliceExpression: "Colon" } as const;

export interface TemplateCheck {
  readonly problems: readonly TemplateProblem[];
  /** Variables the template reads from outside, in order of appearance. */
  readonly variables: readonly string[];
}

type FindToken = (token: PlacedToken, before: PlacedToken | undefined, after: PlacedToken | undefined) => boolean;

type Names = ReadonlySet<string>;

/** Finds what a template may not contain, and which variables it reads. */
export function checkTemplate(
  body: readonly TemplateStatement[],
  tokens: readonly PlacedToken[],
  filters: FilterTable,
): TemplateCheck {
  const checker = new TemplateChecker(tokens, filters);
  checker.visitAll(body, new Set());
  return { problems: checker.problems, variables: [...checker.variables] };
}

class TemplateChecker {
  readonly variables = new Set<string>();
  readonly problems: TemplateProblem[] = [];
  readonly #reported = new Set<string>();
  readonly #tokens: readonly PlacedToken[];
  readonly #filters: FilterTable;

  constructor(tokens: readonly PlacedToken[], filters: FilterTable) {
    this.#tokens = tokens;
    this.#filters = filters;
  }

  /** `bound` holds the names that enclosing loops give. */
  visitAll(statements: readonly TemplateStatement[], bound: Names): void {
    for (const node of statements) {
      if (node.type === "Comment") continue;
      if (node.type === "If") {
        this.#visit(node.test, bound);
        this.visitAll(node.body, bound);
        this.visitAll(node.alternate, bound);
      } else if (node.type === "For") {
        this.#visitLoop(node, bound);
      } else this.#visit(node, bound);
    }
  }

  #visitLoop(node: Extract<TemplateStatement, { type: "For" }>, bound: Names): void {
    if (node.iterable.type === "SelectExpression" || node.loopvar.type !== "Identifier") {
      const message = "loops have the form `{% for x in list %}` in templates";
      const hint = "put conditions into an `{% if %}` inside the loop";
      this.#report("PR-101", message, (token) => token.value === "for", hint);
      return;
    }
    this.#visit(node.iterable, bound);
    this.visitAll(node.body, new Set([...bound, node.loopvar.value, "loop"]));
    this.visitAll(node.defaultBlock, bound);
  }

  #visit(node: TemplateExpression, bound: Names): void {
    switch (node.type) {
      case "Identifier":
        if (!bound.has(node.value) && !TEMPLATE_CONSTANTS.has(node.value)) this.variables.add(node.value);
        return;
      case "StringLiteral":
      case "IntegerLiteral":
      case "FloatLiteral":
        return;
      case "ArrayLiteral":
      case "TupleLiteral":
        return this.#visitParts(node.value, bound);
      case "MemberExpression":
        return this.#visitParts(node.computed ? [node.object, node.property] : [node.object], bound);
      case "UnaryExpression":
        this.#checkOperator(node.operator.value, UNARY);
        return this.#visit(node.argument, bound);
      case "BinaryExpression":
        this.#checkOperator(node.operator.value, BINARY);
        return this.#visitParts([node.left, node.right], bound);
      case "FilterExpression":
        return this.#visitFilter(node, bound);
      case "TestExpression":
        this.#visit(node.operand, bound);
        return this.#checkTest(node.test.value);
      case "Ternary":
        return this.#visitParts([node.condition, node.trueExpr, node.falseExpr], bound);
      case "SelectExpression":
        return this.#visitParts([node.test, node.lhs], bound);
      default:
        this.#refuse(node);
    }
  }

  #visitParts(parts: readonly TemplateExpression[], bound: Names): void {
    for (const part of parts) this.#visit(part, bound);
  }

  #visitFilter(node: FilterExpression, bound: Names): void {
    this.#visit(node.operand, bound);
    const { name, args } = filterCall(node);
    this.#checkFilter(name);
    for (const argument of args) {
      this.#visit(argument.type === "KeywordArgumentExpression" ? argument.value : argument, bound);
    }
  }

  #checkFilter(name: string): void {
    if (findFilter(this.#filters, name)) return;
    const isFilter: FindToken = (token, before) => before?.type === "Pipe" && token.value === name;
    this.#report("PR-103", `unknown filter \`${name}\``, isFilter, didYouMean(name, Object.keys(this.#filters)));
  }

  #checkOperator(operator: string, known: Names): void {
    if (known.has(operator)) return;
    const message = `operator \`${operator}\` is not supported in templates`;
    this.#report("PR-101", message, (token) => token.value === operator);
  }

  #checkTest(name: string): void {
    if (TEMPLATE_TESTS.has(name)) return;
    const isTest: FindToken = (token, before) =>
      token.value === name && (before?.value === "is" || before?.value === "not");
    this.#report("PR-101", `unknown test \`${name}\``, isTest, didYouMean(name, TEMPLATE_TESTS.keys()));
  }

  /** INVARIANT: every node kind not listed in `template-tree` ends here, so nothing else is ever evaluated. */
  #refuse(node: { readonly type: string }): void {
    const words = Object.hasOwn(WORDS, node.type) ? WORDS[node.type as keyof typeof WORDS] : undefined;
    const isCall: FindToken = (token, before, after) =>
      token.type === "Identifier" && after?.type === "OpenParen" && before?.type !== "Pipe";
    const mark = node.type === "ObjectLiteral" || node.type === "SliceExpression" ? MARKS[node.type] : undefined;
    const find: FindToken = mark === undefined ? isCall : (token) => token.type === mark;
    this.#report("PR-101", words?.[0] ?? "this construct is not supported in templates", find, words?.[1]);
  }

  /** Each message once, where it is first found. */
  #report(code: TemplateProblem["code"], message: string, find: FindToken, hint?: string): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    const tokens = this.#tokens;
    const token = tokens.find((candidate, index) => find(candidate, tokens[index - 1], tokens[index + 1])) ?? tokens[0];
    const { start, end } = token ?? { start: 0, end: 1 };
    this.problems.push({ code, message, start, end, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Where a variable is first read, for a complaint about it. */
export function findVariable(tokens: readonly PlacedToken[], name: string): PlacedToken | undefined {
  return tokens.find((token, index) => {
    const before = tokens[index - 1];
    return token.type === "Identifier" && token.value === name && before?.type !== "Dot" && before?.type !== "Pipe";
  });
}
