import type { ColangFile, Definition, Pattern, Statement, Target } from "../../src/colang1/ast.js";
import type { Argument, Expression } from "../../src/expressions/ast.js";

/** A tree as compact s-expressions, without positions: equal for two sources with the same meaning. */
export function formatFile(file: ColangFile): string {
  return [...file.imports.map(({ path }) => `(import ${text(path)})`), ...file.definitions.map(formatDefinition)].join(
    "\n",
  );
}

export function formatDefinition(definition: Definition): string {
  switch (definition.kind) {
    case "UserDefinition":
      return list("user", [text(definition.name.text), ...definition.examples.map(({ value }) => text(value))]);
    case "BotDefinition":
      return list("bot", [text(definition.name.text), ...definition.variants.map(({ value }) => text(value))]);
    case "ActionDefinition":
      return list("action", [text(definition.name.text)]);
    case "FlowDefinition": {
      const { id, name, parameters, modifiers, isSubflow, isShorthand, doc, meta, body } = definition;
      const head = [
        name ? text(id) : "_",
        ...parameters.map((parameter) => `$${parameter}`),
        ...(isShorthand ? ["shorthand"] : []),
        ...modifiers.map((modifier) => modifier.text),
        ...Object.keys(meta).map((key) => `${key}:${JSON.stringify(meta[key])}`),
        ...(doc === undefined ? [] : [`doc:${text(doc)}`]),
      ];
      return `(${[isSubflow ? "subflow" : "flow", ...head].join(" ")}${block(body)})`;
    }
  }
}

function block(statements: readonly Statement[]): string {
  return statements.map((statement) => `\n${indent(formatStatement(statement))}`).join("");
}

function indent(lines: string): string {
  return lines.replace(/^/gm, "  ");
}

export function formatStatement(statement: Statement): string {
  const comment = statement.comment === undefined ? [] : [`#${text(statement.comment)}`];
  switch (statement.kind) {
    case "Match":
      return list("match", [...statement.patterns.map(formatPattern), ...comment]);
    case "Say": {
      const { any, intent, value, variants } = statement;
      const parts = [
        ...(any ? ["*"] : []),
        ...(intent ? [intent.text] : []),
        ...(value ? [formatExpression(value)] : []),
      ];
      return list("say", [...parts, ...variants.map((variant) => text(variant.value)), ...comment]);
    }
    case "Emit":
      return list("emit", [statement.type.text, ...statement.arguments.map(formatArgument), ...comment]);
    case "Run":
      return list("run", [
        ...result(statement.target),
        statement.action.text,
        ...statement.arguments.map(formatArgument),
        ...comment,
      ]);
    case "Call": {
      const callee = statement.flow ? statement.flow.text : statement.value ? formatExpression(statement.value) : "?";
      return list("do", [...result(statement.target), callee, ...statement.arguments.map(formatArgument), ...comment]);
    }
    case "Assign":
      return list("set", [formatTarget(statement.target), formatExpression(statement.value), ...comment]);
    case "Generate": {
      const { instructions } = statement;
      return list("generate", [
        formatTarget(statement.target),
        ...(instructions === undefined ? [] : [text(instructions)]),
        ...comment,
      ]);
    }
    case "Return":
      return list("return", [...statement.values.map(formatExpression), ...comment]);
    case "Label":
    case "Goto":
      return list(statement.kind.toLowerCase(), [statement.name.text, ...comment]);
    case "Check":
      return list("check", [formatExpression(statement.condition), ...comment]);
    case "If": {
      const branches = statement.branches.map(
        ({ condition, body }) => `(${formatExpression(condition)}${block(body)})`,
      );
      const otherwise = statement.otherwise ? [`(else${block(statement.otherwise)})`] : [];
      return `${list("if", comment).slice(0, -1)}${[...branches, ...otherwise].map((part) => `\n${indent(part)}`).join("")})`;
    }
    case "While":
      return `(while ${[formatExpression(statement.condition), ...comment].join(" ")}${block(statement.body)})`;
    case "When": {
      const branches = statement.branches.map(
        ({ patterns, body }) => `(${patterns.map(formatPattern).join(" ")}${block(body)})`,
      );
      return `${list("when", comment).slice(0, -1)}${branches.map((part) => `\n${indent(part)}`).join("")})`;
    }
    default:
      return list(statement.kind.toLowerCase(), comment);
  }
}

function formatPattern(pattern: Pattern): string {
  if (pattern.kind === "EventPattern") {
    const properties = pattern.properties.map(({ name, value }) =>
      value ? `${name}=${formatExpression(value)}` : name,
    );
    return list("event", [pattern.type.text, ...properties]);
  }
  const who = pattern.kind === "UserPattern" ? "user" : "bot";
  const quoted = pattern.kind === "UserPattern" && pattern.text ? [text(pattern.text.value)] : [];
  return list(who, [...(pattern.any ? ["*"] : []), ...(pattern.intent ? [pattern.intent.text] : []), ...quoted]);
}

function formatTarget({ name, path }: Target): string {
  return `$${[name, ...path].join(".")}`;
}

function result(target: Target | undefined): readonly string[] {
  return target ? [`${formatTarget(target)}<-`] : [];
}

function formatArgument({ name, value }: Argument): string {
  return `${name === undefined ? "" : `${name}=`}${formatExpression(value)}`;
}

export function formatExpression(expression: Expression): string {
  const all = (items: readonly Expression[]): string => items.map(formatExpression).join(" ");
  switch (expression.kind) {
    case "Literal":
      return typeof expression.value === "string" ? text(expression.value) : String(expression.value);
    case "Variable":
      return `$${expression.name}`;
    case "List":
      return `[${all(expression.items)}]`;
    case "Set":
      return `{${all(expression.items)}}`;
    case "Map":
      return `{${expression.entries.map(({ key, value }) => `${key === undefined ? "**" : `${formatExpression(key)}:`}${formatExpression(value)}`).join(" ")}}`;
    case "Template":
      return list(
        "f",
        expression.parts.map((part) => (typeof part === "string" ? text(part) : formatExpression(part))),
      );
    case "Unary":
      return list(expression.operator, [formatExpression(expression.operand)]);
    case "Binary":
    case "Logical":
      return list(expression.operator, [formatExpression(expression.left), formatExpression(expression.right)]);
    case "Compare": {
      const rest = expression.rest.flatMap(({ operator, operand }) => [operator, formatExpression(operand)]);
      return list("compare", [formatExpression(expression.first), ...rest]);
    }
    case "Conditional":
      return list("?", [
        formatExpression(expression.test),
        formatExpression(expression.whenTrue),
        formatExpression(expression.whenFalse),
      ]);
    case "Member":
      return list(".", [formatExpression(expression.object), expression.name]);
    case "Index":
      return list("index", [formatExpression(expression.object), formatExpression(expression.index)]);
    case "Slice": {
      const bounds = [expression.from, expression.to, expression.step].map((bound) =>
        bound ? formatExpression(bound) : "_",
      );
      return list("slice", [formatExpression(expression.object), ...bounds]);
    }
    case "Call":
      return list("call", [expression.function, ...expression.arguments.map(formatArgument)]);
    case "MethodCall":
      return list("method", [
        formatExpression(expression.object),
        expression.method,
        ...expression.arguments.map(formatArgument),
      ]);
  }
}

function list(head: string, parts: readonly string[]): string {
  return `(${[head, ...parts].join(" ")})`;
}

function text(value: string): string {
  return JSON.stringify(value);
}
