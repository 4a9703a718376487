import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { Span } from "../../diagnostics/span.js";
import { STANDARD_FILTERS } from "./filters/standard.js";
import { messageParts, type MessagePart } from "./message-references.js";
import { compileTemplate, resolveFrom, templateDiagnostics } from "./template.js";
import type { CompileText } from "./template-evaluate.js";
import type { ResolveVariable } from "./template-run.js";
import { hasTemplateTags } from "./template-segments.js";
import { formatTemplateValue, readProperty } from "./template-value.js";

/** A predefined bot message, ready to be rendered any number of times. */
export interface MessageTemplate {
  readonly text: string;
  /** Context variables it reads. */
  readonly variables: readonly string[];
  /**
   * @param context - the context variables; only own properties count
   * @param onUndefined - called with every variable that is not there (CO-408); its text is empty
   */
  render(context: Readonly<Record<string, unknown>>, onUndefined?: (name: string) => void): string;
}

export interface MessageTemplateOptions {
  /** Where the message was written. */
  readonly span?: Span | undefined;
  /** How values other than texts are printed. */
  readonly formatValue?: ((value: unknown) => string) | undefined;
}

export interface MessageCompilation {
  readonly template?: MessageTemplate;
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether a message uses template tags, so that `loadTemplateSyntax` must come before compiling it. */
export function messageNeedsTemplateSyntax(text: string): boolean {
  return hasTemplateTags(text);
}

/**
 * Compiles a predefined message (spec colang-1 17, [D-15]). Messages without `{{` and `{%` never touch the template
 * engine. Values are printed as they are: text that comes out of a variable is not rendered again.
 *
 * @example
 * ```ts
 * const { template } = compileMessageTemplate("Hello $user.name!");
 * template?.render({ user: { name: "Ada" } }); // "Hello Ada!"
 * ```
 */
export function compileMessageTemplate(text: string, options: MessageTemplateOptions = {}): MessageCompilation {
  const print = options.formatValue ?? formatTemplateValue;
  if (!hasTemplateTags(text)) return { template: plainTemplate(text, print), diagnostics: [] };

  const references = new Set<string>();
  const compileText: CompileText = (literal, isLocal) => {
    const parts = messageParts(literal);
    for (const part of parts) if (part.kind === "reference" && !isLocal(part.name)) references.add(part.name);
    return (resolve, onUndefined) => renderParts(parts, resolve, print, onUndefined);
  };
  // The template language drops one newline at the end; a message keeps what was written.
  const source = text.endsWith("\n") ? `${text}\n` : text;
  const { template, problems } = compileTemplate(source, {
    filters: STANDARD_FILTERS,
    compileText,
    formatValue: print,
  });
  if (!template) return { diagnostics: templateDiagnostics(problems, text, { name: "message", span: options.span }) };
  const variables = [...new Set([...template.variables, ...references])];
  const render: MessageTemplate["render"] = (context, onUndefined) => {
    return template.render(resolveFrom(context), onUndefined);
  };
  return { template: { text, variables, render }, diagnostics: [] };
}

function plainTemplate(text: string, print: (value: unknown) => string): MessageTemplate {
  const parts = messageParts(text);
  const variables = [...new Set(parts.flatMap((part) => (part.kind === "reference" ? [part.name] : [])))];
  if (variables.length === 0) {
    const constant = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
    return { text, variables, render: () => constant };
  }
  const render: MessageTemplate["render"] = (context, onUndefined) => {
    return renderParts(parts, resolveFrom(context), print, onUndefined);
  };
  return { text, variables, render };
}

function renderParts(
  parts: readonly MessagePart[],
  resolve: ResolveVariable,
  print: (value: unknown) => string,
  onUndefined: ((name: string) => void) | undefined,
): string {
  let text = "";
  for (const part of parts) {
    if (part.kind === "text") {
      text += part.text;
      continue;
    }
    let value = resolve(part.name);
    for (const key of part.path) value = readProperty(value, key);
    if (value === undefined) onUndefined?.(referencePath(part.name, part.path));
    else text += print(value);
  }
  return text;
}

function referencePath(name: string, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => text + (typeof key === "number" ? `[${key}]` : `.${key}`), name);
}
