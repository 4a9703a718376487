import { TemplateError } from "./template-error.js";

/** A token of the template lexer. */
export interface TemplateToken {
  readonly type: string;
  readonly value: string;
}

/** The parts of the template package that are used: its lexer and its parser. */
export interface TemplateSyntax {
  readonly tokenize: (text: string) => readonly TemplateToken[];
  readonly parse: (tokens: readonly TemplateToken[]) => { readonly body: readonly unknown[] };
}

let loaded: TemplateSyntax | undefined;
let loading: Promise<TemplateSyntax> | undefined;

/**
 * Loads the template package on first use, so that an import costs nothing without templates.
 *
 * @example
 * ```ts
 * await loadTemplateSyntax();
 * const { template } = compileTemplate("Hello {{ name }}", dialect);
 * ```
 */
export function loadTemplateSyntax(): Promise<TemplateSyntax> {
  loading ??= import("@huggingface/jinja").then(({ tokenize, parse }) => {
    loaded = { tokenize, parse: (tokens) => parse(tokens as Parameters<typeof parse>[0]) };
    return loaded;
  });
  return loading;
}

/** The package after it was loaded. */
export function templateSyntax(): TemplateSyntax {
  if (loaded) return loaded;
  throw new TemplateError(
    "templates are compiled before the template engine was loaded; await `loadTemplateSyntax()` first",
  );
}
