import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { createSourceFile } from "../../diagnostics/source-file.js";
import { createSpan, type Span } from "../../diagnostics/span.js";
import type { FilterTable } from "./filter.js";
import { checkTemplate } from "./template-check.js";
import { compileBody, type CompileText } from "./template-evaluate.js";
import type { OnUndefined, ResolveVariable } from "./template-run.js";
import { parseTemplate, type PlacedToken } from "./template-parse.js";
import type { TemplateProblem } from "./template-segments.js";
import { templateSyntax } from "./template-syntax.js";

/** A compiled template. It holds no state: one template may render many things at once. */
export interface Template {
  readonly text: string;
  /** Variables it reads from outside, in order of appearance. */
  readonly variables: readonly string[];
  render(resolve: ResolveVariable, onUndefined?: OnUndefined): string;
  /** The value of a template that is one `{{ expression }}`, for example a list of messages; its text otherwise. */
  evaluate(resolve: ResolveVariable): unknown;
}

export interface TemplateOptions {
  readonly filters: FilterTable;
  readonly compileText?: CompileText | undefined;
  /** How values are printed; undefined is empty and lists read as in Python unless told otherwise. */
  readonly formatValue?: ((value: unknown) => string) | undefined;
}

export interface TemplateCompilation {
  /** Absent when there are problems. */
  readonly template?: Template;
  readonly problems: readonly TemplateProblem[];
  readonly tokens: readonly PlacedToken[];
  readonly variables: readonly string[];
}

/**
 * Compiles a template; reports every problem at once and never throws. The template engine must have been loaded.
 *
 * @example
 * ```ts
 * await loadTemplateSyntax();
 * const { template } = compileTemplate("Hello {{ name | upper }}", { filters: STANDARD_FILTERS });
 * template?.render((name) => ({ name: "Ada" })[name]); // "Hello ADA"
 * ```
 */
export function compileTemplate(text: string, options: TemplateOptions): TemplateCompilation {
  const { body, tokens, problems } = parseTemplate(text, templateSyntax());
  if (problems.length > 0) return { problems, tokens, variables: [] };
  const checked = checkTemplate(body, tokens, options.filters);
  if (checked.problems.length > 0) return { problems: checked.problems, tokens, variables: checked.variables };
  const { render, evaluate } = compileBody(body, options);
  const { variables } = checked;
  return { template: { text, variables, render, evaluate }, problems: [], tokens, variables };
}

/**
 * The variables a template reads from outside; empty for one that cannot be read.
 *
 * @example
 * ```ts
 * templateVariables("{{ user_input }} {% for c in chunks %}{{ c }}{% endfor %}"); // ["user_input", "chunks"]
 * ```
 */
export function templateVariables(text: string): readonly string[] {
  const { body, tokens } = parseTemplate(text, templateSyntax());
  return checkTemplate(body, tokens, {}).variables;
}

/** Where a template stands, for its diagnostics. */
export interface TemplateOrigin {
  /** What the template is called, e.g. ``prompt `self_check_input` ``. */
  readonly name: string;
  /** The place it was written at, shown beside the template's own lines. */
  readonly span?: Span | undefined;
}

/** The problems as diagnostics that point into the template's own text. */
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

/** A record as the source of variables; only its own properties count. */
export function resolveFrom(values: Readonly<Record<string, unknown>>): ResolveVariable {
  return (name) => (Object.hasOwn(values, name) ? values[name] : undefined);
}
