import { readFile } from "node:fs/promises";
import { processEnvironment } from "../config/environment.js";
import { openDisk } from "../config/load/disk-store.js";
import { loadConfigFromPath } from "../config/load/load.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { ColangSyntaxError, ConfigError, DiagnosticError } from "../diagnostics/errors.js";
import { Guardrails } from "../langchain/guardrails.js";
import { languageOptions } from "../langchain/load.js";
import { namedModelEngines } from "../langchain/models/engine-table.js";
import { scriptedModel } from "../testing/scripted-model.js";
import { localEmbeddings } from "./open-configuration.js";

/** Problems of a configuration, and the configuration if it loads. */
interface Found {
  readonly diagnostics: readonly Diagnostic[];
  readonly config?: RailsConfig;
}

/**
 * Returns all errors and warnings of a configuration. No model is called. A key or a package that is missing on this
 * machine is a warning.
 */
export async function findProblems(path: string, options: { readonly allowCode: boolean }): Promise<Found> {
  const { allowCode } = options;
  const missing: Diagnostic[] = [];
  let config: RailsConfig;
  try {
    config = await loadWithoutKeys(path, allowCode, missing);
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    // With invalid settings, the flows are not compiled; their problems are found separately and reported together.
    return { diagnostics: [...missing, ...error.diagnostics, ...(await problemsOfFlows(path, error.diagnostics))] };
  }
  const reported = new Set(missing.flatMap(({ path: setting }) => setting ?? []));
  const compiled = await problemsOf(config, allowCode);
  const diagnostics = compiled.filter(({ path: setting }) => setting === undefined || !reported.has(setting));
  return { diagnostics: [...missing, ...diagnostics], config };
}

/** Compiles a configuration that has loaded, and returns its problems. */
async function problemsOf(config: RailsConfig, allowCode: boolean): Promise<readonly Diagnostic[]> {
  const ofModels = await modelProblems(config);
  try {
    const models = silentModels(config);
    const options = { logger: false, allowCode, models, ...localEmbeddings(config) } as const;
    return [...ofModels, ...(await Guardrails.fromConfig(config, options)).warnings];
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    const diagnostics = error.diagnostics.map((problem) => (problem.code === "CF-113" ? asWarning(problem) : problem));
    return [...ofModels, ...config.warnings, ...diagnostics];
  }
}

/** Maximum number of repeats that omit further invalid settings; some settings are validated only after others. */
const MAX_REPAIRS = 4;

/**
 * Returns the problems of flows and rail lists in a configuration with invalid settings: those that remain without
 * these settings.
 */
async function problemsOfFlows(path: string, wrong: readonly Diagnostic[]): Promise<readonly Diagnostic[]> {
  const without = placesOf(wrong);
  for (let repairs = 0; repairs < MAX_REPAIRS && without.length > 0; repairs += 1) {
    try {
      const config = await loadWithoutKeys(path, false, [], without);
      const remaining = await problemsOf(config, false);
      return remaining.filter(({ code, severity }) => severity === "error" && /^C[O2]-/.test(code));
    } catch (error) {
      if (!DiagnosticError.isInstance(error)) throw error;
      const more = placesOf(error.diagnostics).filter((place) => !without.includes(place));
      if (more.length === 0) break;
      without.push(...more);
    }
  }
  return syntaxProblems(path);
}

/**
 * Returns the paths of invalid settings; none if the Colang version or the imports are invalid, because flows would then be
 * parsed differently.
 */
function placesOf(diagnostics: readonly Diagnostic[]): string[] {
  const places = diagnostics.flatMap(({ path }) => path ?? []);
  return places.some((place) => /^(?:colang_version|import_paths)/.test(place)) ? [] : places;
}

function asWarning(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, severity: "warning" };
}

/** Matches the environment variable in the message about a missing key. */
const VARIABLE = /`([A-Za-z_]\w{0,200})`/;

/**
 * Loads a configuration. Missing keys become warnings, since they belong to the machine rather than the configuration.
 */
async function loadWithoutKeys(
  path: string,
  allowCode: boolean,
  missing: Diagnostic[],
  without: readonly string[] = [],
): Promise<RailsConfig> {
  const options = { ...(await languageOptions()), namedModelEngines: namedModelEngines(), allowCode, without };
  const env = processEnvironment();
  try {
    return await loadConfigFromPath(path, { ...options, env });
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
    const keys = error.diagnostics.filter(({ code }) => code === "CF-113");
    if (keys.length === 0) throw error;
    missing.push(...keys.map(asWarning));
    const names = keys.flatMap(({ message }) => VARIABLE.exec(message)?.[1] ?? []);
    const unset = Object.fromEntries(names.map((name) => [name, "not set"]));
    return loadConfigFromPath(path, { ...options, env: { ...env, ...unset } });
  }
}

/** Codes that depend on the machine or the program: an engine that a program registers, a key, a package, a constructor. */
const OF_MACHINE: ReadonlySet<string> = new Set(["CF-000", "CF-112", "CF-113", "CF-114"]);

/** Returns the problems of models that cannot be created. Creating a model calls nothing. */
async function modelProblems(config: RailsConfig): Promise<readonly Diagnostic[]> {
  const { buildEmbeddings, buildModels } = await import("../langchain/models/model-providers.js");
  const sections = (["core", "knowledge_base"] as const).map((section) => buildEmbeddings(config, section));
  const results = await Promise.allSettled([buildModels(config), ...sections]);
  const byPlace = new Map<string, Diagnostic>();
  for (const result of results) {
    if (result.status === "fulfilled") continue;
    if (!DiagnosticError.isInstance(result.reason)) throw result.reason;
    for (const problem of result.reason.diagnostics) byPlace.set(problem.path ?? problem.message, problem);
  }
  // The code of a configuration may register engines.
  const isKnown = ({ code }: Diagnostic): boolean => code !== "CF-112" || config.code.inits.length === 0;
  return [...byPlace.values()]
    .filter(isKnown)
    .map((problem) => (OF_MACHINE.has(problem.code) ? asWarning(problem) : problem));
}

/** Replaces each configured model with one that is never called. */
function silentModels({ settings }: RailsConfig): Readonly<Record<string, ReturnType<typeof scriptedModel>>> {
  const types = settings.models.map(({ type }) => type).filter((type) => type !== "embeddings");
  return Object.fromEntries(types.map((type) => [type, scriptedModel([])]));
}

/** Returns the syntax errors in the Colang files of a folder whose settings cannot be read. */
async function syntaxProblems(path: string): Promise<readonly Diagnostic[]> {
  const disk = await openDisk();
  if (disk === undefined || (await disk.kindOf(path)) !== "folder") return [];
  const files: Record<string, string> = {};
  for (const { relative, path: full } of (await disk.list(path, MAX_FILES)) ?? []) {
    if (/\.(?:co|ya?ml)$/.test(relative)) files[relative] = await readFile(full, "utf8").catch(() => "");
  }
  const settings = Object.entries(files).filter(([name]) => !name.endsWith(".co"));
  const version = settings.map(([, text]) => /^colang_version: *["']?2/m.test(text)).includes(true) ? "2.x" : "1.0";
  const flows = Object.fromEntries(Object.entries(files).filter(([name]) => name.endsWith(".co")));
  const config = { files: { ...flows, "config.yml": `colang_version: "${version}"\n` } };
  try {
    await Guardrails.fromConfig(config, { logger: false, allowCode: false });
    return [];
  } catch (error) {
    return ColangSyntaxError.isInstance(error) ? error.diagnostics : [];
  }
}

const MAX_FILES = 1_000;
