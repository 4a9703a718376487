import { compileColang1 } from "../../../colang1/compile.js";
import type { ActionCatalog, CompileFile, RailReference } from "../../../colang1/compile-input.js";
import type { Colang1Program } from "../../../colang1/elements.js";
import type { RailsConfig } from "../../../config/rails-config.js";
import { formatPath } from "../../../config/yaml/raw-node.js";
import { isError, type Diagnostic } from "../../../diagnostics/diagnostic.js";
import { ColangSyntaxError, ColangValidationError } from "../../../diagnostics/errors.js";
import { COMPILER_VERSION } from "../../../colang1/compiler-version.js";
import type { CacheFolder } from "../../../engine/cache-folder.js";
import { createSourceFile, type SourceFile } from "../../../diagnostics/source-file.js";
import { parseFlowReference } from "../../../engine/flow-reference.js";
import { LIBRARY_RAILS } from "../../../library/manifest.js";
import { LIBRARY_SOURCES } from "../../../library/assets.js";
import { isWrittenLate, writtenFile1 } from "../../../library/written-flows.js";
import { PIPELINE_SOURCES } from "../assets.js";
import { LIBRARY_PACKED, PIPELINE_PACKED } from "../packed.js";
import { openPackedFile } from "../../../colang1/packed-file.js";
import { templateTexts } from "../../../llm/prompts/task-names.js";
import { omitUndefined } from "../../../engine/plain-data.js";
import { listedRails, TOOL_VALIDATION } from "../../../rails/tools/tool-rails.js";
import { isToolStage, type RailsStage } from "../../../turn/decision.js";
import type { Definition } from "../../../colang1/ast.js";
import { hasTemplateTags } from "../../../llm/templates/message-text.js";
import { parseColang1 } from "../../../colang1/parse/parse.js";

/** An immutable file of the pipeline or the library, opened once per process by the first program that needs it. */
interface OwnFile {
  readonly name: string;
  readonly origin: "default" | "library";
  readonly open: () => CompileFile;
}

const OWN_FILES: readonly OwnFile[] = [
  ...ownFiles(PIPELINE_SOURCES, PIPELINE_PACKED, "default"),
  ...ownFiles(LIBRARY_SOURCES, LIBRARY_PACKED, "library"),
];

function ownFiles(
  sources: typeof LIBRARY_SOURCES,
  packed: readonly string[],
  origin: OwnFile["origin"],
): readonly OwnFile[] {
  return sources.map(({ name, text }, at) => {
    let opened: CompileFile | undefined;
    const open = (): CompileFile =>
      (opened ??= { file: openPackedFile(createSourceFile(name, text), packed[at] ?? ""), origin });
    return { name, origin, open };
  });
}

/**
 * Compiles a configuration to a program.
 *
 * @param cache - stores programs that compile without diagnostics
 * @throws ColangSyntaxError with the problems of all files if one cannot be parsed
 * @throws ColangValidationError with all problems if the flows are invalid
 */
export async function compileConfig(
  config: RailsConfig,
  actions: ActionCatalog,
  cache?: CacheFolder,
): Promise<Compiled> {
  const key = cache && programKey(config, actions, cache);
  if (cache === undefined || key === undefined) return compile(config, actions);
  const { decodeProgram, encodeProgram } = await import("../../../colang1/stored-program.js");
  const stored = await cache.read(key);
  const known = stored === undefined ? undefined : decodeProgram(stored, { config: config.settings });
  if (known !== undefined) return { program: known, diagnostics: [] };
  const compiled = await compile(config, actions);
  // Diagnostics refer to sources, which are not read with a cached program.
  const text = compiled.diagnostics.length === 0 ? encodeProgram(compiled.program) : undefined;
  if (text !== undefined) await cache.write(key, text);
  return compiled;
}

/**
 * Cache key of a program: everything that affects compilation. Undefined for flows in the settings, whose elements have
 * positions in a YAML file.
 */
function programKey(config: RailsConfig, actions: ActionCatalog, cache: CacheFolder): string | undefined {
  const { settings } = config;
  if (settings.flows.length > 0) return undefined;
  const described = (actions.names ?? []).map((name) => [name, actions.parametersOf(name), actions.acceptedBy?.(name)]);
  return cache.keyOf(
    COMPILER_VERSION,
    JSON.stringify(config.colang.map(({ source, origin }) => [source.name, source.text, origin])),
    JSON.stringify([settings.user_messages, settings.bot_messages, settings.context_variables]),
    JSON.stringify(listedRails(settings.rails).map(({ stage, text }) => [stage, text])),
    JSON.stringify(settings.prompts.map(templateTexts)),
    JSON.stringify([actions.complete, described]),
  );
}

interface Compiled {
  readonly program: Colang1Program;
  readonly diagnostics: readonly Diagnostic[];
}

async function compile(config: RailsConfig, actions: ActionCatalog): Promise<Compiled> {
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
  /** Rails of a stage; without a stage, the tool rails. */
  const listed = (stage?: RailsStage): RailReference[] =>
    listedRails(settings.rails)
      .filter((rail) => (isToolStage(rail.stage) ? undefined : rail.stage) === stage)
      .map(({ text, path }) => ({ text, path: formatPath(path), ...omitUndefined({ span: config.spanOf(path) }) }));
  const compiled = compileColang1({
    files: [...files, ...neededFiles(config)],
    otherFlows: LIBRARY_RAILS.flatMap(({ flows }) => flows.map(({ name }) => name)),
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

/**
 * Returns the pipeline, the messages, the dialog flows of the library, and the files of the rails that the
 * configuration lists or names in its flows. INVARIANT: the cost of a configuration does not grow with the library.
 */
function neededFiles(config: RailsConfig): readonly CompileFile[] {
  const { settings, colang } = config;
  // Validation of tool calls and results runs without being listed.
  const listed = new Set<string>(Object.values(TOOL_VALIDATION));
  for (const { text } of listedRails(settings.rails)) listed.add(parseFlowReference(text).id);
  const texts = [...colang.map(({ source }) => source.text), JSON.stringify(settings.flows)];
  const written = texts.map((text) => text.replace(/\s+/g, " ")).join("\n");
  const needed = new Set<string>();
  const late: CompileFile[] = [];
  for (const rail of LIBRARY_RAILS) {
    const isNeeded = rail.flows.some(
      (flow) => flow.stage === "dialog" || listed.has(flow.name) || written.includes(flow.name),
    );
    if (!isNeeded) continue;
    needed.add(rail.name);
    if (isWrittenLate(rail)) late.push({ file: parseSource(writtenFile1(rail)).file, origin: "library" });
  }
  const packed = OWN_FILES.filter(({ name, origin }) => {
    const folder = origin === "library" ? /^library\/([^/]+)\//.exec(name)?.[1] : undefined;
    return folder === undefined || needed.has(folder);
  });
  return [...packed.map(({ open }) => open()), ...late];
}

/** Reports broken templates of predefined messages at load rather than at their first use. */
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

/** Parses a file once for both import resolution and compilation. */
export function parseSource(source: SourceFile): Parsed {
  const result = parsed.get(source) ?? parseColang1(source);
  parsed.set(source, result);
  return result;
}
