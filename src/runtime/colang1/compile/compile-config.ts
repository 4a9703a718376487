import { compileColang1 } from "../../../colang1/compile.js";
import type { ActionCatalog, CompileFile, RailReference } from "../../../colang1/compile-input.js";
import type { Colang1Program } from "../../../colang1/elements.js";
import type { RailsConfig } from "../../../config/rails-config.js";
import { formatPath } from "../../../config/yaml/raw-node.js";
import { isError, type Diagnostic } from "../../../diagnostics/diagnostic.js";
import { ColangSyntaxError, ColangValidationError } from "../../../diagnostics/errors.js";
import { createSourceFile, type SourceFile } from "../../../diagnostics/source-file.js";
import { LIBRARY_SOURCES } from "../../../library/assets.js";
import { PIPELINE_SOURCES } from "../assets.js";
import { templateTexts } from "../../../llm/prompts/task-names.js";
import { omitUndefined } from "../../../engine/plain-data.js";
import { listedRails } from "../../../rails/tools/tool-rails.js";
import { isToolStage, type RailsStage } from "../../../turn/decision.js";
import type { Definition } from "../../../colang1/ast.js";
import { hasTemplateTags } from "../../../llm/templates/message-text.js";
import { parseColang1 } from "../../../colang1/parse/parse.js";

/** The default pipeline and the library; they never change, so they are parsed once per process. */
let ownFiles: readonly CompileFile[] | undefined;

function parseOwn(asset: { readonly name: string; readonly text: string }, origin: "default" | "library"): CompileFile {
  const { file, diagnostics } = parseSource(createSourceFile(asset.name, asset.text));
  const errors = diagnostics.filter(isError);
  if (errors.length > 0) throw new ColangSyntaxError(errors);
  return { file, origin };
}

/**
 * Turns a configuration into a program. This is the only place that looks at the Colang version.
 *
 * @throws ColangSyntaxError with all problems of all files when one cannot be parsed
 * @throws ColangValidationError with all problems when the flows do not make sense
 */
export async function compileConfig(
  config: RailsConfig,
  actions: ActionCatalog,
): Promise<{ readonly program: Colang1Program; readonly diagnostics: readonly Diagnostic[] }> {
  const { settings } = config;
  const files: CompileFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { source, origin } of config.colang) {
    const parsed = parseSource(source);
    diagnostics.push(...parsed.diagnostics);
    files.push({ file: parsed.file, origin });
  }
  const syntaxErrors = diagnostics.filter(isError);
  if (syntaxErrors.length > 0) throw new ColangSyntaxError(syntaxErrors);
  ownFiles ??= [
    ...PIPELINE_SOURCES.map((asset) => parseOwn(asset, "default")),
    ...LIBRARY_SOURCES.map((asset) => parseOwn(asset, "library")),
  ];
  /** The rails of a stage; without one those on tools. */
  const listed = (stage?: RailsStage): RailReference[] =>
    listedRails(settings.rails)
      .filter((rail) => (isToolStage(rail.stage) ? undefined : rail.stage) === stage)
      .map(({ text, path }) => ({ text, path: formatPath(path), ...omitUndefined({ span: config.spanOf(path) }) }));
  const compiled = compileColang1({
    files: [...files, ...ownFiles],
    yaml: {
      flows: settings.flows,
      userMessages: settings.user_messages,
      botMessages: settings.bot_messages,
      spanOf: (path) => config.spanOf(path),
    },
    rails: { input: listed("input"), output: listed("output"), retrieval: listed("retrieval"), tools: listed() },
    constants: { config: settings },
    actions,
    predefinedVariables: settings.context_variables,
    prompts: settings.prompts.flatMap(templateTexts),
  });
  diagnostics.push(...compiled.diagnostics);
  const messages = await checkMessages(files.flatMap(({ file }) => file.definitions));
  const errors = [...compiled.diagnostics, ...messages].filter(isError);
  if (errors.length > 0 || compiled.program === undefined) throw new ColangValidationError(errors);
  return { program: compiled.program, diagnostics };
}

/** Broken templates of predefined messages, found when the configuration is loaded and not when they are said. */
async function checkMessages(definitions: readonly Definition[]): Promise<readonly Diagnostic[]> {
  const variants = definitions
    .flatMap((definition) => (definition.kind === "BotDefinition" ? definition.variants : []))
    .filter(({ value }) => hasTemplateTags(value));
  if (variants.length === 0) return [];
  const { compileMessageTemplate } = await import("../../../llm/templates/message-template.js");
  const { loadTemplateSyntax } = await import("../../../llm/templates/template-syntax.js");
  await loadTemplateSyntax();
  return variants.flatMap(({ value, span }) => compileMessageTemplate(value, { span }).diagnostics);
}

type Parsed = ReturnType<typeof parseColang1>;

const parsed = new WeakMap<SourceFile, Parsed>();

/** Parses a file once, though loading asks for its imports and compiling for all of it. */
export function parseSource(source: SourceFile): Parsed {
  const result = parsed.get(source) ?? parseColang1(source);
  parsed.set(source, result);
  return result;
}
