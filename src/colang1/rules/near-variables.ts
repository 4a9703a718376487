import { createSpan, type Span, spanText } from "../../diagnostics/span.js";
import { suggest } from "../../diagnostics/suggestion.js";
import type { Expression } from "../../expressions/ast.js";
import type { Statement } from "../ast.js";
import { quotedVariable } from "../lower-arguments.js";
import { PREDEFINED_VARIABLES } from "../predefined-variables.js";
import type { ProgramFacts } from "../program-facts.js";
import { expressionsIn } from "../walk-expression.js";
import { expressionsOf, statementsOf } from "../walk.js";
import type { Report, Rule } from "./rule.js";

const SHORTEST = 5;

/**
 * CO-313: a variable that is read but never written. Callers and actions may set any variable, so a name that merely
 * is not written here proves nothing; reported is only one that looks like a slip of a name that is written or
 * predefined. Short names, and names that differ in a digit or a plural, are too often meant.
 */
export const nearVariables: Rule = (facts, report) => {
  const written = writtenVariables(facts);
  return {
    statement: (statement) => {
      for (const expression of expressionsOf(statement)) {
        for (const { name, start, end } of variablesIn(expression)) {
          checkName(name, createSpan(statement.span.source, start, end), written, report);
        }
      }
    },
    program: () => {
      for (const { literals, origin } of facts.merged.botMessages.values()) {
        if (origin === "default" || origin === "library") continue;
        for (const { span } of literals) checkText(span, written, report);
      }
    },
  };
};

function checkName(name: string, span: Span, written: ReadonlySet<string>, report: Report): void {
  if (written.has(name) || name.length < SHORTEST) return;
  const near = suggest(name, written);
  if (near === undefined || near.length < SHORTEST || stem(near) === stem(name)) return;
  report("CO-313", `variable \`$${name}\` is read but never written`, { span, hint: `did you mean \`$${near}\`?` });
}

function stem(name: string): string {
  return name.replace(/[\d_]+$/, "").replace(/s$/, "");
}

/** Variables in the text of a message: `$name`, found where they are written. */
function checkText(span: Span, written: ReadonlySet<string>, report: Report): void {
  for (const match of spanText(span).matchAll(/(?<!\$)\$([A-Za-z_]\w*)/g)) {
    const start = span.start + match.index;
    checkName(match[1] ?? "", createSpan(span.source, start, start + match[0].length), written, report);
  }
}

function* variablesIn(expression: Expression): Generator<{ name: string; start: number; end: number }> {
  for (const part of expressionsIn(expression)) {
    const name = part.kind === "Variable" ? part.name : quotedVariable(part);
    if (name !== undefined) yield { name, start: part.start, end: part.end };
  }
}

function writtenVariables({ input, flows, rails }: ProgramFacts): Set<string> {
  const written = new Set([
    ...PREDEFINED_VARIABLES,
    ...(input.predefinedVariables ?? []),
    ...Object.keys(input.constants ?? {}),
    ...rails.flatMap((rail) => rail.parameters),
  ]);
  for (const { definition } of flows) {
    for (const parameter of definition.parameters) written.add(parameter);
    for (const statement of statementsOf(definition.body)) {
      for (const name of writtenBy(statement)) written.add(name);
    }
  }
  return written;
}

function* writtenBy(statement: Statement): Generator<string> {
  if ("target" in statement && statement.target) yield statement.target.name;
  if (statement.kind === "Call") {
    for (const { name } of statement.arguments) if (name !== undefined) yield name;
  }
  if (statement.kind !== "Emit" || statement.type.text !== "ContextUpdate") return;
  for (const { value } of statement.arguments) {
    if (value.kind !== "Map") continue;
    for (const { key } of value.entries) if (key.kind === "Literal" && typeof key.value === "string") yield key.value;
  }
}
