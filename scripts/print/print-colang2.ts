import type { Expression } from "../../src/expressions/ast.js";
import { printExpression } from "./print-expression.js";
import type {
  CallArgument,
  Callee,
  ColangModule,
  FlowDefinition,
  Group,
  Parameter,
  Spec,
  Statement,
  Target,
} from "../../src/colang2/ast.js";
import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { CONSTANT_WORDS, STATEMENT_WORDS } from "../../src/colang2/parse/reserved-words.js";

const STRINGS = { interpolateStrings: true } as const;
const HIDDEN = "# meta: exclude from llm";

/**
 * A module as source text. Parsing the text gives the same tree again, but for the places.
 *
 * @example
 * ```ts
 * printColang2(parseColang2(createSourceFile("main.co", "flow a:\n    user said 'x'\n")).ast); // "flow a\n  user said \"x\"\n"
 * ```
 */
export function printColang2({ imports, flows, isHiddenFromPrompts }: ColangModule): string {
  const head = [
    ...(isHiddenFromPrompts ? [HIDDEN] : []),
    ...imports.map(({ path, isQuoted }) => `import ${isQuoted ? quote(path) : path.replaceAll("/", ".")}`),
  ];
  return [...(head.length > 0 ? [`${head.join("\n")}\n`] : []), ...flows.map(printFlow)].join("\n");
}

/** A path is written unchanged: only characters that would end the string are escaped. */
function quote(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}"`;
}

function printFlow({ name, decorators, parameters, returnMembers, body }: FlowDefinition): string {
  const lines = decorators.map(
    (decorator) => `@${decorator.name.text}${decorator.arguments.length > 0 ? printClassic(decorator.arguments) : ""}`,
  );
  const members = returnMembers.length > 0 ? ["->", returnMembers.map(printParameter).join(", ")] : [];
  lines.push(["flow", ...(name ? [name.text] : []), ...parameters.map(printParameter), ...members].join(" "));
  const block = body.flatMap(printStatement);
  lines.push(...(block.length > 0 ? block : ["pass"]).map(indent));
  return `${lines.join("\n")}\n`;
}

function printParameter({ name, default: value }: Parameter): string {
  return value ? `$${name}=${printOperand(value)}` : `$${name}`;
}

function printStatement(statement: Statement): readonly string[] {
  const comment = statement.comment === undefined ? [] : statement.comment.split("\n").map((line) => `# ${line}`);
  return [...comment, ...printLines(statement)];
}

function printLines(statement: Statement): readonly string[] {
  switch (statement.kind) {
    case "Operation": {
      const { operator, isImplicit, group, target } = statement;
      const isOpen = isImplicit && !looksLikeExpression(printGroup(group, true));
      const words = [...(target ? [printTarget(target), "="] : []), ...(isOpen ? [] : [operator])];
      return [[...words, printGroup(group, isOpen)].join(" ")];
    }
    case "Assign":
      return [`${printTarget(statement.target)} ${statement.operator} ${print(statement.value)}`];
    case "GenerateValue":
      return [`${printTarget(statement.target)} = ...${print(statement.instructions)}`];
    case "GenerateFlow":
      return ["..."];
    case "Return":
      return [statement.value ? `return ${print(statement.value)}` : "return"];
    case "Evaluate":
      return [`(${print(statement.value)})`];
    case "Docstring":
      return [print(statement.value)];
    case "Log":
    case "Print":
    case "Priority":
      return [`${statement.kind.toLowerCase()} ${print(statement.value)}`];
    case "Global":
      return [`global ${statement.names.map(({ text }) => `$${text}`).join(", ")}`];
    case "Label":
      return [`${statement.name.text}:`];
    case "If":
      return [
        ...statement.branches.flatMap(({ condition, body }, at) =>
          printBlock(`${at === 0 ? "if" : "elif"} ${print(condition)}`, body),
        ),
        ...printElse(statement.otherwise),
      ];
    case "While":
      return printBlock(`while ${print(statement.condition)}`, statement.body);
    case "For":
      return printBlock(`for $${statement.variable.text} in ${print(statement.iterable)}`, statement.body);
    case "When":
      return [
        ...statement.cases.flatMap(({ group, body }, at) =>
          printBlock(`${at === 0 ? "when" : "or when"} ${printGroup(group)}`, body),
        ),
        ...printElse(statement.otherwise),
      ];
    default:
      return [statement.kind.toLowerCase()];
  }
}

/**
 * Returns true if a line with this beginning would be read as an expression, because a flow has the name of a function.
 */
function looksLikeExpression(text: string): boolean {
  const [, name] = /^\(+(\w+)\(/.exec(text) ?? [];
  return name !== undefined && COLANG_2_DIALECT.functions.has(name);
}

function printBlock(header: string, body: readonly Statement[]): readonly string[] {
  const lines = body.flatMap(printStatement);
  return [header, ...(lines.length > 0 ? lines : ["pass"]).map(indent)];
}

function printElse(otherwise: readonly Statement[] | undefined): readonly string[] {
  return otherwise ? printBlock("else", otherwise) : [];
}

function indent(line: string): string {
  return `  ${line}`;
}

/**
 * Prints operands that bind at most as tightly as their group in parentheses, which keeps the tree. Others must not
 * have them: a parenthesis at the beginning of a line may open an expression.
 *
 * @param leads - nothing stands in front of it that says what kind of statement it is
 */
function printGroup(group: Group, leads = false): string {
  if (group.kind === "Spec") return printSpec(group, leads);
  if (group.kind === "Not") {
    const { operand } = group;
    return `not ${operand.kind === "Spec" ? printSpec(operand) : `(${printGroup(operand)})`}`;
  }
  const word = group.kind === "And" ? " and " : " or ";
  return group.operands
    .map((operand, at) =>
      operand.kind === "Or" || operand.kind === group.kind
        ? `(${printGroup(operand)})`
        : printGroup(operand, leads && at === 0),
    )
    .join(word);
}

function printSpec({ callee, members, reference }: Spec, leads = false): string {
  const text =
    leads && beginsStatement(callee)
      ? `(${printCallee(callee)})`
      : members.length > 0
        ? printOwner(callee, leads)
        : printCallee(callee);
  const steps = members.map(
    (member) => `.${member.name.text}${member.arguments ? printClassic(member.arguments) : ""}`,
  );
  return `${text}${steps.join("")}${reference ? ` as $${reference.text}` : ""}`;
}

/** Returns true if the name would be read as the beginning of another statement. */
function beginsStatement(callee: Callee): boolean {
  const [first = ""] = nameOf(callee).split(" ", 1);
  return STATEMENT_WORDS.has(first) || OTHER_WORDS.has(first);
}

const OTHER_WORDS: ReadonlySet<string> = new Set(["else", "elif", "flow"]);

/**
 * In front of members: a name has its arguments in parentheses around both, which a variable cannot have, nor a line that would
 * then begin like an expression.
 */
function printOwner(callee: Callee, leads: boolean): string {
  if (!isSimple(callee)) return printCallee(callee);
  const [first = ""] = nameOf(callee).split(" ", 1);
  if (leads && (CONSTANT_WORDS.has(first) || first === "not")) return nameOf(callee) + printClassic(callee.arguments);
  return callee.kind === "NameCallee" ? `(${printCallee(callee)})` : nameOf(callee) + printClassic(callee.arguments);
}

function printCallee(callee: Callee): string {
  const name = nameOf(callee);
  if (callee.form === "none") return name;
  if (!isSimple(callee)) return name + printClassic(callee.arguments);
  return [name, ...callee.arguments.map(printSimple)].join(" ");
}

function nameOf(callee: Callee): string {
  return callee.kind === "NameCallee" ? callee.name.text : `$${callee.variable}`;
}

/** A parenthesis after a name opens its arguments, so if the first argument is in parentheses, all arguments are. */
function isSimple({ form, arguments: [first] }: Callee): boolean {
  if (form !== "simple" || !first) return false;
  return first.name !== undefined || first.isGenerated || isPlain(first.value);
}

function printClassic(given: readonly CallArgument[]): string {
  const texts = given.map(({ name, value, isGenerated, spread = "" }) => {
    const prefix = `${name === undefined ? "" : `${name}=`}${isGenerated ? "..." : ""}${spread}`;
    return prefix + print(value);
  });
  return `(${texts.join(", ")})`;
}

function printSimple({ name, value, isGenerated }: CallArgument): string {
  return `${name === undefined ? "" : `$${name}=`}${isGenerated ? `...${print(value)}` : printOperand(value)}`;
}

/** Between blanks, only text that cannot be read as part of its neighbours needs no parentheses. */
function printOperand(value: Expression): string {
  return isPlain(value) ? print(value) : `(${print(value)})`;
}

function isPlain(value: Expression): boolean {
  if (value.kind === "Literal") return typeof value.value !== "number" || value.value >= 0;
  return value.kind === "Variable" || value.kind === "Template";
}

function printTarget({ name, path }: Target): string {
  return `$${name}${path.map((step) => ("member" in step ? `.${step.member}` : `[${print(step.index)}]`)).join("")}`;
}

function print(expression: Expression): string {
  return printExpression(expression, STRINGS);
}
