import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Argument, BinaryOperator, CompareOperator, Expression } from "../../expressions/ast.js";
import type { ExpressionDialect } from "../../expressions/dialect.js";
import { freeVariables } from "../../expressions/walk-expression.js";
import type { TemplateNode } from "./render-template.js";
import { TEST_NAMES, testMethod, VALUES } from "./template-dialect.js";
import type { PlacedToken, TemplateProblem } from "./template-parse.js";
import {
  type CallExpression,
  filterCall,
  type FilterExpression,
  type SliceExpression,
  type TemplateExpression,
  type TemplateStatement,
} from "./template-syntax.js";

/** Splits literal text into statements; message templates read `$name` there. */
export type SplitText = (text: string) => readonly TemplateNode[];

export interface CompiledNodes {
  readonly nodes: readonly TemplateNode[];
  readonly problems: readonly TemplateProblem[];
  /** Free variables of the template, in order of appearance. */
  readonly variables: readonly string[];
}

/** INVARIANT: template expressions have no positions, since the package's tree has none. */
export const PLACE = { start: 0, end: 0 } as const;

const NOTHING: Expression = { kind: "List", ...PLACE, items: [] };
/** An expression without a value: an item of an empty list. */
const MISSING: Expression = { kind: "Index", ...PLACE, object: NOTHING, index: literal(0) };

const CONSTANTS: ReadonlyMap<string, Expression> = new Map(
  Object.entries({ true: true, True: true, false: false, False: false, none: null, None: null }).map(
    ([name, value]) => [name, literal(value)],
  ),
);

const ARITHMETIC: ReadonlySet<string> = new Set<BinaryOperator>(["+", "-", "*", "/", "//", "%"]);
const COMPARISONS: ReadonlySet<string> = new Set<CompareOperator>(["==", "!=", "<", "<=", ">", ">=", "in", "not in"]);

interface Refused {
  readonly message: string;
  readonly hint?: string;
  /** Type of the token that marks it in the source. */
  readonly mark?: string;
}

/** Calls that give a view of a map, and the methods of values that perform them. */
const VIEWS: ReadonlyMap<string, string> = new Map([
  ["items", "items"],
  ["keys", "list"],
  ["values", VALUES],
]);

/** Constructs that templates do not support. */
const REFUSED: ReadonlyMap<string, Refused> = new Map<string, Refused>([
  [
    "CallExpression",
    { message: "calls are not allowed in templates", hint: "use a filter, such as `{{ text | upper }}`" },
  ],
  ["ObjectLiteral", { message: "maps are not supported in templates", mark: "OpenCurlyBracket" }],
]);

type FindToken = (token: PlacedToken, before: PlacedToken | undefined, after: PlacedToken | undefined) => boolean;

type Names = ReadonlySet<string>;

/** Compiles the tree of a template to statements over expressions. Each problem is reported once. */
export function compileNodes(
  body: readonly TemplateStatement[],
  tokens: readonly PlacedToken[],
  dialect: ExpressionDialect,
  splitText: SplitText = (text) => [{ kind: "text", text }],
): CompiledNodes {
  const compiler = new TemplateCompiler(tokens, dialect.methods.any, splitText);
  const nodes = compiler.compileAll(body, new Set());
  return { nodes, problems: compiler.problems, variables: [...compiler.variables] };
}

class TemplateCompiler {
  readonly variables = new Set<string>();
  readonly problems: TemplateProblem[] = [];

  constructor(
    readonly tokens: readonly PlacedToken[],
    readonly filters: ExpressionDialect["methods"]["any"],
    readonly splitText: SplitText,
  ) {}

  /** `bound` holds the names defined by enclosing loops and by assignments before. */
  compileAll(statements: readonly TemplateStatement[], bound: Set<string>): readonly TemplateNode[] {
    return statements.flatMap((node) => this.#compile(node, bound));
  }

  #compile(node: TemplateStatement, bound: Set<string>): readonly TemplateNode[] {
    switch (node.type) {
      case "Comment":
        return [];
      case "StringLiteral":
        return this.splitText(node.value).map((part) => {
          if (part.kind === "print") this.#noteVariables(part.value, bound);
          return part;
        });
      case "If": {
        const test = this.#translate(node.test, bound);
        const body = this.compileAll(node.body, bound);
        return [{ kind: "if", test, body, otherwise: this.compileAll(node.alternate, bound) }];
      }
      case "Set":
        return this.#compileSet(node, bound);
      case "For":
        return this.#compileLoop(node, bound);
      default:
        return [{ kind: "print", value: this.#translate(node, bound), path: pathOf(node) }];
    }
  }

  #compileSet(node: Extract<TemplateStatement, { type: "Set" }>, bound: Set<string>): readonly TemplateNode[] {
    const { assignee, value } = node;
    if (
      assignee.type !== "Identifier" ||
      value === null ||
      CONSTANTS.has(assignee.value) ||
      assignee.value === "loop"
    ) {
      const message = "`{% set %}` gives one name a value in templates";
      this.#report("PR-101", message, (token) => token.value === "set", "write `{% set name = value %}`");
      return [];
    }
    const assigned = this.#translate(value, bound);
    bound.add(assignee.value);
    return [{ kind: "set", name: assignee.value, value: assigned }];
  }

  #compileLoop(node: Extract<TemplateStatement, { type: "For" }>, bound: Names): readonly TemplateNode[] {
    const { iterable, loopvar } = node;
    const isPair = loopvar.type === "TupleLiteral";
    const names = (isPair ? loopvar.value : [loopvar]).flatMap((target) =>
      target.type === "Identifier" ? target.value : [],
    );
    if (names.length !== (isPair ? loopvar.value.length : 1)) {
      const message = "loops have the form `{% for x in list %}` or `{% for x, y in pairs %}` in templates";
      this.#report("PR-101", message, (token) => token.value === "for");
      return [];
    }
    const items = this.#translate(iterable.type === "SelectExpression" ? iterable.lhs : iterable, bound);
    const inside = new Set([...bound, ...names]);
    const only = iterable.type === "SelectExpression" ? { only: this.#translate(iterable.test, inside) } : {};
    const body = this.compileAll(node.body, new Set([...inside, "loop"]));
    const otherwise = this.compileAll(node.defaultBlock, new Set(bound));
    return [{ kind: "for", names, isPair, items, ...only, body, otherwise }];
  }

  #translate(node: TemplateExpression, bound: Names): Expression {
    const expression = this.#expression(node);
    this.#noteVariables(expression, bound);
    return expression;
  }

  #noteVariables(expression: Expression, bound: Names): void {
    for (const name of freeVariables(expression)) if (!bound.has(name)) this.variables.add(name);
  }

  #expression(node: TemplateExpression): Expression {
    switch (node.type) {
      case "Identifier":
        return CONSTANTS.get(node.value) ?? { kind: "Variable", ...PLACE, name: node.value };
      case "StringLiteral":
      case "IntegerLiteral":
      case "FloatLiteral":
        return literal(node.value);
      case "ArrayLiteral":
      case "TupleLiteral":
        return { kind: "List", ...PLACE, items: node.value.map((item) => this.#expression(item)) };
      case "MemberExpression": {
        const object = this.#expression(node.object);
        const { property } = node;
        if (property.type === "SliceExpression") return this.#slice(object, property);
        // INVARIANT: after a dot there is a name or a whole number.
        const isName = !node.computed && property.type === "Identifier";
        const index = isName ? literal(property.value) : this.#expression(property);
        return { kind: "Index", ...PLACE, object, index };
      }
      case "UnaryExpression":
        return this.#unary(node);
      case "BinaryExpression":
        return this.#binary(node);
      case "FilterExpression":
        return this.#filter(node);
      case "TestExpression": {
        const object = this.#expression(node.operand);
        const method = testMethod(node.test.value);
        this.#checkTest(node.test.value);
        const test: Expression = { kind: "MethodCall", ...PLACE, object, method, arguments: [] };
        return node.negate ? { kind: "Unary", ...PLACE, operator: "not", operand: test } : test;
      }
      case "Ternary":
        return this.#conditional(node.condition, node.trueExpr, node.falseExpr);
      case "SelectExpression":
        return this.#conditional(node.test, node.lhs);
      case "CallExpression":
        return this.#view(node);
      default:
        return this.#refuse(node);
    }
  }

  #slice(object: Expression, { start, stop, step }: SliceExpression): Expression {
    const bounds = { from: start, to: stop, step };
    const given = Object.entries(bounds).flatMap(([name, bound]) =>
      bound === undefined ? [] : [[name, this.#expression(bound)] as const],
    );
    return { kind: "Slice", ...PLACE, object, ...Object.fromEntries(given) };
  }

  /** `map.items()` and the like; every other call is refused. */
  #view(node: CallExpression): Expression {
    const { callee, args } = node;
    if (callee.type !== "MemberExpression" || callee.computed || args.length > 0) return this.#refuse(node);
    const { property } = callee;
    const method = property.type === "Identifier" ? VIEWS.get(property.value) : undefined;
    if (method === undefined) return this.#refuse(node);
    return { kind: "MethodCall", ...PLACE, object: this.#expression(callee.object), method, arguments: [] };
  }

  #conditional(test: TemplateExpression, whenTrue: TemplateExpression, whenFalse?: TemplateExpression): Expression {
    const [first, condition] = [this.#expression(whenTrue), this.#expression(test)];
    const last = whenFalse === undefined ? MISSING : this.#expression(whenFalse);
    return { kind: "Conditional", ...PLACE, whenTrue: first, test: condition, whenFalse: last };
  }

  #unary({ operator: { value }, argument }: Extract<TemplateExpression, { type: "UnaryExpression" }>): Expression {
    const operand = this.#expression(argument);
    if (value !== "not" && value !== "-" && value !== "+") return this.#refuseOperator(value);
    return { kind: "Unary", ...PLACE, operator: value, operand };
  }

  #binary(node: Extract<TemplateExpression, { type: "BinaryExpression" }>): Expression {
    const operator = node.operator.value;
    const left = this.#expression(node.left);
    const right = this.#expression(node.right);
    if (operator === "and" || operator === "or") return { kind: "Logical", ...PLACE, operator, left, right };
    if (operator === "~") return { kind: "Template", ...PLACE, parts: [left, right] };
    if (COMPARISONS.has(operator)) {
      const last = { operator: operator as CompareOperator, operand: right };
      // The parser reads `1 < a < 3` as `(1 < a) < 3`.
      if (left.kind !== "Compare" || this.#comparesBrackets())
        return { kind: "Compare", ...PLACE, first: left, rest: [last] };
      return { ...left, rest: [...left.rest, last] };
    }
    if (!ARITHMETIC.has(operator)) return this.#refuseOperator(operator);
    return { kind: "Binary", ...PLACE, operator: operator as BinaryOperator, left, right };
  }

  /** Returns true if a comparison follows a bracket, which may end another comparison. */
  #comparesBrackets(): boolean {
    return this.tokens.some(
      ({ type }, at) => type === "CloseParen" && COMPARISONS.has(this.tokens[at + 1]?.value ?? ""),
    );
  }

  #filter(node: FilterExpression): Expression {
    const called = filterCall(node);
    if (!called) {
      const isFilter: FindToken = (_token, before) => before?.type === "Pipe";
      const hint = 'put it in brackets: `{{ (list | join("-"))[0] }}`';
      return this.#report("PR-101", "only `|` may follow a filter", isFilter, hint);
    }
    const object = this.#expression(node.operand);
    const { name, args } = called;
    if (!this.filters.has(name)) {
      const names = [...this.filters.keys()].filter((known) => !known.includes(" "));
      const isFilter: FindToken = (token, before) => before?.type === "Pipe" && token.value === name;
      this.#report(
        "PR-103",
        `unknown filter \`${name}\``,
        isFilter,
        didYouMean(name, names) ?? `filters are ${names.map((known) => `\`${known}\``).join(", ")}`,
      );
    }
    const given = args.map((argument): Argument => {
      if (argument.type !== "KeywordArgumentExpression") return { ...PLACE, value: this.#expression(argument) };
      return { ...PLACE, name: argument.key.value, value: this.#expression(argument.value) };
    });
    return { kind: "MethodCall", ...PLACE, object, method: name, arguments: given };
  }

  #checkTest(name: string): void {
    if (TEST_NAMES.includes(name)) return;
    const isTest: FindToken = (token, before) =>
      token.value === name && (before?.value === "is" || before?.value === "not");
    this.#report("PR-101", `unknown test \`${name}\``, isTest, didYouMean(name, TEST_NAMES));
  }

  #refuseOperator(operator: string): Expression {
    const message = `operator \`${operator}\` is not supported in templates`;
    return this.#report("PR-101", message, (token) => token.value === operator);
  }

  /** INVARIANT: every node not listed in `template-tree` ends here, so nothing else is ever evaluated. */
  #refuse(node: { readonly type: string }): Expression {
    const unknown: Refused = { message: "this construct is not supported in templates" };
    const { message, hint, mark } = REFUSED.get(node.type) ?? unknown;
    const name = calledName(node);
    const isCall: FindToken = (token, before, after) =>
      token.type === "Identifier" &&
      token.value === (name ?? token.value) &&
      after?.type === "OpenParen" &&
      before?.type !== "Pipe";
    return this.#report("PR-101", message, mark === undefined ? isCall : (token) => token.type === mark, hint);
  }

  /** Reports a message where it is first found, and replaces the expression. */
  #report(code: TemplateProblem["code"], message: string, find: FindToken, hint?: string): Expression {
    if (this.problems.some((problem) => problem.message === message)) return MISSING;
    const tokens = this.tokens;
    const token = tokens.find((candidate, index) => find(candidate, tokens[index - 1], tokens[index + 1])) ?? tokens[0];
    const { start, end } = token ?? { start: 0, end: 1 };
    this.problems.push({ code, message, start, end, ...(hint === undefined ? {} : { hint }) });
    return MISSING;
  }
}

/** The name before the parentheses of a call. */
function calledName(node: { readonly type: string }): string | undefined {
  const { callee } = node as Partial<CallExpression>;
  const named = callee?.type === "MemberExpression" ? callee.property : callee;
  return named?.type === "Identifier" ? named.value : undefined;
}

export function literal(value: string | number | boolean | null): Expression {
  return { kind: "Literal", ...PLACE, value };
}

/** `user.name` for a plain path expression: the name under which an undefined value is reported. */
function pathOf(node: TemplateExpression): string | undefined {
  if (node.type === "Identifier") return CONSTANTS.has(node.value) ? undefined : node.value;
  if (node.type !== "MemberExpression") return undefined;
  const object = pathOf(node.object);
  const { property } = node;
  if (object === undefined) return undefined;
  if (!node.computed) return property.type === "Identifier" ? `${object}.${property.value}` : object;
  return property.type === "IntegerLiteral" ? `${object}[${property.value}]` : object;
}

/** Finds the first read of a variable, for a diagnostic. */
export function findVariable(tokens: readonly PlacedToken[], name: string): PlacedToken | undefined {
  return tokens.find((token, index) => {
    const before = tokens[index - 1];
    return token.type === "Identifier" && token.value === name && before?.type !== "Dot" && before?.type !== "Pipe";
  });
}
