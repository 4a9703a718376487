import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { createSourceFile, createSpan, type Span } from "../../diagnostics/source-file.js";
import type { ExpressionDialect } from "../../expressions/dialect.js";
import { toValue } from "../../expressions/values/value.js";
import { freeVariables } from "../../expressions/walk-expression.js";
import { compileNodes, type SplitText } from "./compile-template.js";
import {
  assignedNames,
  evaluateTemplate,
  renderTemplate,
  type OnUndefined,
  type ResolveVariable,
  type TemplateNode,
} from "./render-template.js";
import { parseTemplate, type PlacedToken, type TemplateProblem } from "./template-parse.js";
import { templateSyntax } from "./template-syntax.js";

/** A compiled template. Stateless, so it may be rendered concurrently. */
export interface Template {
  readonly text: string;
  /** Free variables, in order of appearance. */
  readonly variables: readonly string[];
  render(resolve: ResolveVariable, onUndefined?: OnUndefined): string;
  /**
   * Returns the value of a template that is a single `{{ expression }}`, for example a list of messages; otherwise its
   * text.
   */
  evaluate(resolve: ResolveVariable): unknown;
  /**
   * Returns the template specialised for fixed values of some variables: parts that read only these are computed once,
   * now.
   */
  withValues(values: Readonly<Record<string, unknown>>): Template;
}

export interface TemplateCompilation {
  /** Absent if there are problems. */
  readonly template?: Template;
  readonly problems: readonly TemplateProblem[];
  readonly tokens: readonly PlacedToken[];
  readonly variables: readonly string[];
}

/**
 * Compiles a template; reports all problems at once and never throws. The template package must be loaded.
 *
 * @example
 * ```ts
 * await loadTemplateSyntax();
 * const { template } = compileTemplate("Hello {{ name | upper }}", MESSAGE_DIALECT);
 * template?.render((name) => ({ name: "Ada" })[name]); // "Hello ADA"
 * ```
 */
export function compileTemplate(text: string, dialect: ExpressionDialect, splitText?: SplitText): TemplateCompilation {
  const parsed = parseTemplate(text, templateSyntax());
  const { tokens } = parsed;
  if (parsed.problems.length > 0) return { problems: parsed.problems, tokens, variables: [] };
  const { nodes, problems, variables } = compileNodes(parsed.body, tokens, dialect, splitText);
  if (problems.length > 0) return { problems, tokens, variables };
  return { template: createTemplate(text, nodes, variables, dialect), problems, tokens, variables };
}

/** Creates a template from statements. */
export function createTemplate(
  text: string,
  nodes: readonly TemplateNode[],
  variables: readonly string[],
  dialect: ExpressionDialect,
): Template {
  const [only, ...others] = nodes.filter((node) => node.kind !== "text" || node.text.trim() !== "");
  const single = others.length === 0 ? only : undefined;
  const render: Template["render"] = (resolve, onUndefined) => renderTemplate(nodes, dialect, resolve, onUndefined);
  const evaluate: Template["evaluate"] = (resolve) => {
    if (single?.kind === "known") return single.value;
    return single?.kind === "print" ? evaluateTemplate(single.value, dialect, resolve) : render(resolve);
  };
  const withValues: Template["withValues"] = (values) => {
    const assigned = new Set(assignedNames(nodes));
    const fixed = Object.fromEntries(Object.entries(values).filter(([name]) => !assigned.has(name)));
    const known = nodes.map((node) => knownNode(node, dialect, fixed));
    return createTemplate(text, known, variables, dialect);
  };
  return { text, variables, render, evaluate, withValues };
}

function knownNode(
  node: TemplateNode,
  dialect: ExpressionDialect,
  values: Readonly<Record<string, unknown>>,
): TemplateNode {
  if (node.kind !== "print" || !freeVariables(node.value).every((name) => Object.hasOwn(values, name))) return node;
  try {
    const value = evaluateTemplate(node.value, dialect, resolveFrom(values));
    return value === undefined ? node : { kind: "known", value: toValue(value) };
  } catch {
    // Fails when rendered, as it would have without this.
    return node;
  }
}

/** Origin of a template, for its diagnostics. */
export interface TemplateOrigin {
  /** Name of the template, such as ``prompt `self_check_input` ``. */
  readonly name: string;
  /** Location in the configuration, shown below the template's own lines. */
  readonly span?: Span | undefined;
}

/** Converts problems to diagnostics that point into the template's own text. */
export function templateDiagnostics(
  problems: readonly TemplateProblem[],
  text: string,
  origin: TemplateOrigin,
): Diagnostic[] {
  const source = createSourceFile(origin.name, text);
  return problems.map(({ code, message, start, end, hint }) => {
    return createDiagnostic(code, message, {
      span: createSpan(source, start, end),
      hint,
      labels: origin.span ? [{ span: origin.span, text: "written here" }] : [],
    });
  });
}

/** Resolves variables from a record; only own properties count. */
export function resolveFrom(values: Readonly<Record<string, unknown>>): ResolveVariable {
  return (name) => (Object.hasOwn(values, name) ? values[name] : undefined);
}
