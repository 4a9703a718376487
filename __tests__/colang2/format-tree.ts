import type {
  CallArgument,
  Callee,
  ColangModule,
  Decorator,
  FlowDefinition,
  Group,
  Parameter,
  SpecMember,
  Statement,
  Target,
} from "../../src/colang2/ast.js";
import { formatExpression } from "../colang1/format-tree.js";

/** A tree as compact s-expressions, without positions: equal for two sources with the same meaning. */
export function formatModule(module: ColangModule): string {
  return [
    ...(module.isHiddenFromPrompts ? ["(hidden)"] : []),
    ...module.imports.map(({ path }) => `(import ${JSON.stringify(path)})`),
    ...module.flows.map(formatFlow),
  ].join("\n");
}

function formatFlow({ id, decorators, parameters, returnMembers, docstring, body }: FlowDefinition): string {
  const head = [
    ...decorators.map(formatDecorator),
    JSON.stringify(id),
    ...parameters.map(formatParameter),
    ...(returnMembers.length > 0 ? ["->", ...returnMembers.map(formatParameter)] : []),
    ...(docstring === undefined ? [] : [`doc:${JSON.stringify(docstring)}`]),
  ];
  return `(flow ${head.join(" ")}${formatBlock(body)})`;
}

function formatDecorator({ name, arguments: given }: Decorator): string {
  return `@${name.text}${given.length > 0 ? formatArguments(given) : ""}`;
}

function formatParameter({ name, default: value }: Parameter): string {
  return `$${name}${value ? `=${formatExpression(value)}` : ""}`;
}

function formatBlock(statements: readonly Statement[]): string {
  return statements.map((statement) => `\n${formatStatement(statement).replace(/^/gm, "  ")}`).join("");
}

export function formatStatement(statement: Statement): string {
  const comment = statement.comment === undefined ? "" : ` #${JSON.stringify(statement.comment)}`;
  return `(${formatParts(statement)}${comment})`;
}

function formatParts(statement: Statement): string {
  switch (statement.kind) {
    case "Operation": {
      const { operator, isImplicit, group, target } = statement;
      const result = target ? `${formatTarget(target)} <- ` : "";
      return `${result}${operator}${isImplicit ? "?" : ""} ${formatGroup(group)}`;
    }
    case "Assign":
      return `${statement.operator} ${formatTarget(statement.target)} ${formatExpression(statement.value)}`;
    case "GenerateValue":
      return `generate ${formatTarget(statement.target)} ${formatExpression(statement.instructions)}`;
    case "Return":
      return statement.value ? `return ${formatExpression(statement.value)}` : "return";
    case "Log":
    case "Print":
    case "Priority":
    case "Evaluate":
    case "Docstring":
      return `${statement.kind.toLowerCase()} ${formatExpression(statement.value)}`;
    case "Global":
      return `global ${statement.names.map(({ text }) => `$${text}`).join(" ")}`;
    case "Label":
      return `label ${statement.name.text}`;
    case "If":
      return `if${statement.branches
        .map(({ condition, body }) => `\n  (${formatExpression(condition)}${indent(formatBlock(body))})`)
        .join("")}${formatElse(statement.otherwise)}`;
    case "While":
      return `while ${formatExpression(statement.condition)}${formatBlock(statement.body)}`;
    case "For":
      return `for $${statement.variable.text} ${formatExpression(statement.iterable)}${formatBlock(statement.body)}`;
    case "When":
      return `when${statement.cases
        .map(({ group, body }) => `\n  (${formatGroup(group)}${indent(formatBlock(body))})`)
        .join("")}${formatElse(statement.otherwise)}`;
    default:
      return statement.kind.toLowerCase();
  }
}

function indent(block: string): string {
  return block.replaceAll("\n", "\n  ");
}

function formatElse(otherwise: readonly Statement[] | undefined): string {
  return otherwise ? `\n  (else${indent(formatBlock(otherwise))})` : "";
}

export function formatGroup(group: Group): string {
  switch (group.kind) {
    case "Spec": {
      const reference = group.reference ? ` as $${group.reference.text}` : "";
      return `${formatCallee(group.callee)}${group.members.map(formatMember).join("")}${reference}`;
    }
    case "Not":
      return `(not ${formatGroup(group.operand)})`;
    default:
      return `(${[group.kind.toLowerCase(), ...group.operands.map(formatGroup)].join(" ")})`;
  }
}

function formatCallee(callee: Callee): string {
  const name = callee.kind === "NameCallee" ? `<${callee.name.text}>` : `$${callee.variable}`;
  return callee.form === "none" ? name : name + formatArguments(callee.arguments);
}

function formatMember({ name, arguments: given }: SpecMember): string {
  return `.${name.text}${given ? formatArguments(given) : ""}`;
}

function formatArguments(given: readonly CallArgument[]): string {
  const texts = given.map(({ name, value, isGenerated, spread }) =>
    [name === undefined ? "" : `${name}=`, isGenerated ? "..." : "", spread ?? "", formatExpression(value)].join(""),
  );
  return `(${texts.join(", ")})`;
}

function formatTarget({ name, path }: Target): string {
  const steps = path.map((step) => ("member" in step ? `.${step.member}` : `[${formatExpression(step.index)}]`));
  return `$${name}${steps.join("")}`;
}
