import type { Definition } from "../../../colang1/ast.js";
import type { Diagnostic } from "../../../diagnostics/diagnostic.js";
import { compileMessageTemplate, messageNeedsTemplateSyntax } from "../../../llm/templates/message-template.js";
import { loadTemplateSyntax } from "../../../llm/templates/template-syntax.js";

/** Broken templates of predefined messages, found when the configuration is loaded and not when they are said. */
export async function checkMessages(definitions: readonly Definition[]): Promise<readonly Diagnostic[]> {
  const variants = definitions
    .flatMap((definition) => (definition.kind === "BotDefinition" ? definition.variants : []))
    .filter(({ value }) => messageNeedsTemplateSyntax(value));
  if (variants.length === 0) return [];
  await loadTemplateSyntax();
  return variants.flatMap(({ value, span }) => compileMessageTemplate(value, { span }).diagnostics);
}
