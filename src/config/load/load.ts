import { createDiagnostic, isError, report } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { readContent } from "./content.js";
import { createRailsConfig } from "./create-config.js";
import { openDisk } from "./disk-store.js";
import { processEnvironment, variable } from "../environment.js";
import type { FileStore } from "./file-store.js";
import type { ConfigContent, LoadOptions } from "./load-options.js";
import { loadCode } from "./load-code.js";
import type { RailsConfig, ColangSource } from "../rails-config.js";
import { readFile, readFolder, type Reading, type Unit } from "./unit.js";
import { inOrder, validateSettings } from "../check/validate.js";
import { withPresets } from "./presets.js";
import { readImports } from "./imports.js";
import { mergeRaw } from "../merge/merge.js";
import { withoutPlaces } from "../yaml/without-places.js";
import { EMPTY_MAP, type RawMap, rawMap } from "../yaml/raw-node.js";

const DEFAULT_MAX_FILES = 10_000;

/**
 * Loads a configuration folder, a YAML file or a Colang file. Throws one `ConfigError` with all problems.
 *
 * @example
 * ```ts
 * const config = await loadConfigFromPath("./config");
 * config.settings.rails.input.flows; // ["self check input"]
 * ```
 */
export async function loadConfigFromPath(path: string | URL, options: LoadOptions = {}): Promise<RailsConfig> {
  const disk = await openDisk();
  const shown = String(path);
  if (!disk) {
    const hint = "give the configuration as text or as files in memory";
    throw notFound(`\`${shown}\` cannot be read: this platform has no file system`, shown, hint);
  }
  const reading = startReading(options, disk);
  const full = disk.resolve("", path instanceof URL ? disk.pathOf(path) : path);
  const kind = await disk.kindOf(full);
  const isSingle = kind === "file" && /\.(?:ya?ml|co)$/.test(full);
  if (kind === "file" && !isSingle) {
    const hint = "give a folder, or a file that ends in `.yml`, `.yaml` or `.co`";
    throw notFound(`\`${shown}\` is not a configuration`, full, hint);
  }
  if (kind === undefined) {
    const hint = "paths are relative to the folder the program was started in";
    throw notFound(`the configuration \`${shown}\` does not exist`, full, hint);
  }
  const root = isSingle
    ? await readFile(disk, full, disk.nameOf(full), reading)
    : await readFolder(disk, full, "", reading);
  const isCode = options.codeAlone === true && (root.code.config !== undefined || root.code.actions.length > 0);
  const isEmpty = root.raw.entries.size === 0 && root.colang.length === 0 && reading.problems.length === 0;
  if (!isSingle && isEmpty && !isCode) {
    const hint = "put a `config.yml` into it, and flows into files that end in `.co`";
    throw notFound(`the folder \`${shown}\` holds no configuration`, full, hint);
  }
  const folder = isSingle ? disk.parentOf(full) : full;
  return await complete(root, { path: shown, folder }, reading, options);
}

/**
 * Loads a configuration given as text or data; needs no file system.
 *
 * @example
 * ```ts
 * const config = await loadConfigFromContent({
 *   yaml: "models:\n  - { type: main, engine: openai, model: gpt-4o-mini }",
 *   colang: 'define user express greeting\n  "hello"',
 * });
 * ```
 */
export async function loadConfigFromContent(content: ConfigContent, options: LoadOptions = {}): Promise<RailsConfig> {
  const reading = startReading(options);
  return await complete(await readContent(content, reading), {}, reading, options);
}

/**
 * Adds imports, prompts of the environment and code to a configuration, and validates it. Its own settings take
 * precedence.
 *
 * @param place - name and folder of the configuration, as given by the caller
 */
async function complete(
  root: Unit,
  { path, folder }: { readonly path?: string; readonly folder?: string },
  reading: Reading,
  options: LoadOptions,
): Promise<RailsConfig> {
  const { allowCode = true } = options;
  const units = [root, ...(await readImports(root, reading))];
  let raw = EMPTY_MAP;
  for (const unit of units) raw = mergeRaw(raw, unit.raw, { winner: "first" });
  raw = await withPresets(raw, options.presets, reading.problems);
  raw = mergeRaw(raw, await readPromptFolder(reading), { winner: "first" });
  raw = withoutPlaces(raw, options.without ?? []) as RawMap;
  // Code of the configuration may register engines; models of unknown engines are checked when they are created.
  const mayBringEngines = allowCode && units.some(({ code }) => code.config !== undefined);
  const { settings, documents, ...checked } = await validateSettings(
    raw,
    { ...options, env: reading.env, ...(mayBringEngines ? { namedModelEngines: new Set() } : {}) },
    reading.problems.some(isError),
  );
  const problems = inOrder([...reading.problems, ...checked.diagnostics]);
  const errors = problems.filter(isError);
  const rest = errors.splice(MAX_REPORTED).length;
  if (rest > 0) report(errors, "CF-000", `${rest} more problems like these`);
  if (!settings || errors.length > 0) throw new ConfigError(errors);
  // Code runs only for an otherwise valid configuration.
  const { code, diagnostics, cause } = await loadCode(units, {
    allowCode,
    folders: [...(folder === undefined ? [] : [folder]), ...(options.codeFolders ?? [])],
    ignoreErrors: settings.actions.ignore_errors,
    importModule: options.importModule ?? ((url) => import(url)),
  });
  if (diagnostics.some(isError)) {
    const error = new ConfigError(diagnostics.filter(isError));
    error.cause = cause;
    throw error;
  }
  return createRailsConfig({
    settings,
    root: checked.root,
    colang: units.flatMap(({ colang }, index) =>
      colang.map((source): ColangSource => ({ source, origin: index === 0 ? "root" : "import" })),
    ),
    documents: [
      ...units.flatMap((unit) => unit.documents),
      ...documents.map(({ format, content }) => ({ path: "docs", format, content })),
    ],
    code: options.code ?? code,
    path,
    warnings: [...problems, ...diagnostics],
  });
}

function startReading(options: LoadOptions, disk?: FileStore): Reading {
  const { env = processEnvironment(), maxFiles = DEFAULT_MAX_FILES, colangImports, readsDisk = true } = options;
  return { problems: [], env, maxFiles, colangImports, disk, readsDisk, seen: new Set(), folders: new Map() };
}

const MAX_REPORTED = 100;

function notFound(message: string, path: string, hint: string): ConfigError {
  return new ConfigError([createDiagnostic("CF-101", message, { path, hint })]);
}

const PROMPT_VARIABLES = ["LANGCHAIN_GUARDRAILS_PROMPTS_DIR", "PROMPTS_DIR"] as const;

/** Prompts for every configuration of this process; a configuration's own prompts take precedence. */
async function readPromptFolder(reading: Reading): Promise<RawMap> {
  const { env } = reading;
  const name = PROMPT_VARIABLES.find((candidate) => variable(env, candidate) !== undefined);
  const folder = name === undefined ? undefined : variable(env, name);
  if (name === undefined || folder === undefined) return EMPTY_MAP;
  const disk = reading.disk ?? (await openDisk());
  const full = disk?.resolve("", folder);
  if (!disk || full === undefined || (await disk.kindOf(full)) !== "folder") {
    const message = `the folder \`${folder}\` with prompts does not exist`;
    report(reading.problems, "CF-101", message, {
      path: folder,
      hint: `the environment variable \`${name}\` names it`,
    });
    return EMPTY_MAP;
  }
  const { raw } = await readFolder(disk, full, folder, reading);
  for (const [key, { keySpan }] of raw.entries) {
    if (key === "prompts") continue;
    report(reading.problems, "CF-103", `unknown key \`${key}\` in a file of prompts`, {
      span: keySpan,
      hint: `files in \`${name}\` hold only \`prompts\``,
      path: key,
    });
  }
  const prompts = raw.entries.get("prompts");
  return prompts ? rawMap([["prompts", prompts]]) : EMPTY_MAP;
}
