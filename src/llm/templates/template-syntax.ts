import { TemplateError } from "./template-error.js";

/** A token of the template lexer. */
export interface TemplateToken {
  readonly type: string;
  readonly value: string;
}

/** What we take from the template package: its lexer and its parser. Evaluation is ours, see `template-evaluate.ts`. */
export interface TemplateSyntax {
  readonly tokenize: (text: string) => readonly TemplateToken[];
  readonly parse: (tokens: readonly TemplateToken[]) => { readonly body: readonly unknown[] };
}

let loaded: TemplateSyntax | undefined;
let loading: Promise<TemplateSyntax> | undefined;

/**
 * Loads the template package on first use, so that importing us costs nothing for those who render no template.
 *
 * @example
 * ```ts
 * await loadTemplateSyntax();
 * const { template } = compileTemplate("Hello {{ name }}", { filters: STANDARD_FILTERS });
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
