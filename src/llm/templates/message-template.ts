import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { Span } from "../../diagnostics/source-file.js";
import type { Expression } from "../../expressions/ast.js";
import { freeVariables } from "../../expressions/walk-expression.js";
import { withSelection } from "./filters/selection.js";
import { STANDARD_FILTERS } from "./filters/standard.js";
import { literal, PLACE, type SplitText } from "./compile-template.js";
import type { TemplateNode } from "./render-template.js";
import { createTemplateDialect } from "./template-dialect.js";
import { hasTemplateTags, type MessageTemplate, plainMessage, unescapeNewlines } from "./message-text.js";
import { compileTemplate, createTemplate, resolveFrom, templateDiagnostics, type Template } from "./template.js";

const MESSAGE_DIALECT = createTemplateDialect(withSelection(STANDARD_FILTERS));

/**
 * Compiles a predefined message, given with its location in a source. A message with template tags (`hasTemplateTags`)
 * requires `loadTemplateSyntax` before. Values are printed unchanged: text in a variable is not rendered again.
 *
 * @example
 * ```ts
 * const { template } = compileMessageTemplate("Hello $user.name!");
 * template?.render({ user: { name: "Ada" } }); // "Hello Ada!"
 * ```
 */
export function compileMessageTemplate(
  text: string,
  { span }: { readonly span?: Span | undefined } = {},
): { readonly template?: MessageTemplate; readonly diagnostics: readonly Diagnostic[] } {
  const plain = plainMessage(text);
  if (plain !== undefined) return { template: plain, diagnostics: [] };
  if (!hasTemplateTags(text)) {
    const nodes = splitMessage(text);
    const variables = nodes.flatMap((node) => (node.kind === "print" ? freeVariables(node.value) : []));
    const template = createTemplate(text, nodes, [...new Set(variables)], MESSAGE_DIALECT);
    return { template: messageOf(text, template), diagnostics: [] };
  }
  // The template engine drops one trailing newline; a message keeps it.
  const source = text.endsWith("\n") ? `${text}\n` : text;
  const { template, problems } = compileTemplate(source, MESSAGE_DIALECT, splitMessage);
  if (template) return { template: messageOf(text, template), diagnostics: [] };
  return { diagnostics: templateDiagnostics(problems, text, { name: "message", span }) };
}

function messageOf(text: string, { variables, render }: Template): MessageTemplate {
  return { text, variables, render: (context, onUndefined) => render(resolveFrom(context), onUndefined) };
}

const REFERENCE = /\$\$|\$([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z_][A-Za-z0-9_]*|\[-?\d{1,9}\])*)/g;
const STEP = /\.([A-Za-z_][A-Za-z0-9_]*)|\[(-?\d+)\]/g;

/**
 * Splits a message at its references: `$name`, then any number of `.name` and `[0]`; `$$` is a dollar, and so is a `$`
 * before anything else. The characters `\n` become a newline.
 */
const splitMessage: SplitText = (text) => {
  const nodes: TemplateNode[] = [];
  let literal = "";
  let at = 0;
  const flush = (): void => {
    if (literal !== "") nodes.push({ kind: "text", text: unescapeNewlines(literal) });
    literal = "";
  };
  for (const match of text.matchAll(REFERENCE)) {
    literal += text.slice(at, match.index);
    at = match.index + match[0].length;
    const [whole, name, steps = ""] = match;
    if (name === undefined) {
      literal += "$";
      continue;
    }
    flush();
    nodes.push({ kind: "print", value: referenceTo(name, steps), path: whole.slice(1) });
  }
  literal += text.slice(at);
  flush();
  return nodes;
};

function referenceTo(name: string, steps: string): Expression {
  let value: Expression = { kind: "Variable", ...PLACE, name };
  for (const [, key, index] of steps.matchAll(STEP)) {
    value = { kind: "Index", ...PLACE, object: value, index: literal(key ?? Number(index)) };
  }
  return value;
}
