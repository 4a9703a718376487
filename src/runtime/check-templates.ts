import type { Definition } from "../colang1/ast.js";
import { printHistory } from "../colang1/print-history.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { promptFilters } from "../llm/filters/prompt.js";
import { compileMessageTemplate, messageNeedsTemplateSyntax } from "../llm/message-template.js";
import { compileTemplate, templateDiagnostics } from "../llm/template.js";
import { loadTemplateSyntax } from "../llm/template-syntax.js";
import type { GuardrailsApp } from "./app.js";

/** Broken templates of predefined messages, found when the configuration is loaded and not when they are said. */
export async function checkMessages(definitions: readonly Definition[]): Promise<readonly Diagnostic[]> {
  const variants = definitions
    .flatMap((definition) => (definition.kind === "BotDefinition" ? definition.variants : []))
    .filter(({ value }) => messageNeedsTemplateSyntax(value));
  if (variants.length === 0) return [];
  await loadTemplateSyntax();
  return variants.flatMap(({ value, span }) => compileMessageTemplate(value, { span }).diagnostics);
}

/** Broken templates of the configuration's prompts: syntax and unknown filters. */
export async function checkPrompts(config: RailsConfig, app: GuardrailsApp): Promise<readonly Diagnostic[]> {
  const { prompts } = config.settings;
  if (prompts.length === 0) return [];
  await loadTemplateSyntax();
  const filters = { ...promptFilters(printHistory), ...app.filters };
  return prompts.flatMap((prompt, index) => {
    const templates = [
      ...(prompt.content === null ? [] : [{ text: prompt.content, path: ["prompts", index, "content"] }]),
      ...(prompt.messages ?? []).map((message, at) => ({
        text: typeof message === "string" ? message : message.content,
        path: ["prompts", index, "messages", at],
      })),
    ];
    return templates.flatMap(({ text, path }) => {
      const { problems } = compileTemplate(text, { filters });
      return templateDiagnostics(problems, text, { name: `prompt ${prompt.task}`, span: config.spanOf(path) });
    });
  });
}
