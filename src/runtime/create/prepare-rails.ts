import type { RailsConfig } from "../../config/rails-config.js";
import { defaultRailSettings } from "../../config/schema/rail-config.js";
import { describeSetting } from "../../config/check/setting-hint.js";
import { settingsField } from "../../config/schema/settings-schema.js";
import { formatPath } from "../../config/yaml/raw-node.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import type { Logger } from "../../diagnostics/logger.js";
import { createSourceFile, type Span } from "../../diagnostics/source-file.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { findLibraryFlow, LIBRARY_RAILS } from "../../library/manifest.js";
import { RailParts } from "../../library/rail-code.js";
import { writeFlows1, writeFlows2 } from "../../library/rail-flows.js";
import type { ListedFlow, RailManifest, RailSettings, SettingProblem } from "../../library/rail-manifest.js";
import { listedRails } from "../../rails/tools/tool-rails.js";

/**
 * Loads the code of the listed library rails and prepares their settings for their actions.
 *
 * @param app - values and logger that the application registered for actions
 * @returns also problems of invalid settings, such as `CF-104`
 */
export async function prepareRails(
  config: RailsConfig,
  addedRails: readonly RailManifest[] = [],
  app: { readonly values?: Readonly<Record<string, unknown>>; readonly logger?: Logger | undefined } = {},
): Promise<{ readonly railParts: RailParts; readonly problems: readonly Diagnostic[] }> {
  const { rails } = config.settings;
  const manifests = [...LIBRARY_RAILS, ...addedRails];
  const parts = new RailParts(manifests, config.settings, (key) => settingsOf(config, key), app);
  const listed = new Map<RailManifest, { readonly flows: ListedFlow[]; readonly path: SettingProblem["path"] }>();
  for (const { text, path } of listedRails(rails)) {
    const { id, parameters } = parseFlowReference(text);
    const known = findLibraryFlow(id) ?? findFlow(addedRails, id);
    if (known === undefined) continue;
    const entry = listed.get(known.rail) ?? { flows: [], path };
    entry.flows.push({ name: id, stage: known.flow.stage, parameters });
    listed.set(known.rail, entry);
  }
  const problems: Diagnostic[] = [];
  for (const [rail, { flows, path }] of listed) {
    const settingProblems = await parts.prepare(rail, flows);
    for (const problem of settingProblems) {
      const next = problemOf(config, rail, problem, path);
      // Stages share settings, so each of them may report the same one.
      if (!problems.some((other) => other.path === next.path && other.message === next.message)) problems.push(next);
    }
  }
  return { railParts: parts, problems };
}

/**
 * A problem without a location in the settings, such as a missing environment variable, is reported where the rail is
 * listed.
 */
function problemOf(
  config: RailsConfig,
  { name, settings = name }: RailManifest,
  problem: SettingProblem,
  listedAt: SettingProblem["path"],
): Diagnostic {
  const isWritten = problem.path.length > 0 && config.spanOf(["rails", "config", settings]) !== undefined;
  if (isWritten || (problem.code ?? "CF-104") === "CF-104") return settingProblem(config, settings, problem);
  const { code = "CF-104", message, hint } = problem;
  const where = problem.path.length === 0 ? listedAt : ["rails", "config", settings, ...problem.path];
  return createDiagnostic(code, message, { span: config.spanOf(listedAt), hint, path: formatPath(where) });
}

function findFlow(rails: readonly RailManifest[], id: string) {
  for (const rail of rails) {
    const flow = rail.flows.find(({ name }) => name === id);
    if (flow !== undefined) return { rail, flow };
  }
  return undefined;
}

/** Returns `rails.config.<key>`, complete with defaults. */
export function settingsOf({ settings: { rails } }: RailsConfig, key: string): RailSettings {
  // The schema creates an object for each section.
  return Object.hasOwn(rails.config, key) ? (rails.config[key] as RailSettings) : defaultRailSettings(key);
}

/**
 * Adds generated flows: those of the caller's rails, and of rails whose settings require another flow than the
 * library's.
 *
 * @throws ConfigError `CF-104` for two rails with one name
 */
export function withWrittenFlows(config: RailsConfig, addedRails: readonly RailManifest[]): RailsConfig {
  const changed = changedFlows(config);
  if (addedRails.length === 0 && changed.length === 0) return config;
  refuseTakenNames(addedRails);
  const is2 = config.settings.colang_version === "2.x";
  const write = (name: string, flows: RailManifest["flows"], replaced?: string) =>
    createSourceFile(`rails/${name}/flows.co`, is2 ? writeFlows2(flows, replaced) : writeFlows1(flows));
  const sources = [
    ...addedRails.map(({ name, flows }) => write(name, flows)),
    ...changed.map(({ name, flows }) => write(name, flows, name.replaceAll("-", "_"))),
  ];
  const generated = sources.map((source) => ({ source, origin: "import", isGenerated: true }) as const);
  return { ...config, colang: [...config.colang, ...generated] };
}

/** Library flows in another form, depending on the configured settings. */
function changedFlows(config: RailsConfig): readonly Pick<RailManifest, "name" | "flows">[] {
  const stated = config.settings.rails.config;
  return LIBRARY_RAILS.flatMap(({ name, settings, flowsFor }) => {
    if (flowsFor === undefined || settings === undefined || !Object.hasOwn(stated, settings)) return [];
    const flows = flowsFor(settingsOf(config, settings));
    return flows.length === 0 ? [] : [{ name, flows }];
  });
}

function refuseTakenNames(addedRailsRails: readonly RailManifest[]): void {
  const taken = new Set(LIBRARY_RAILS.flatMap(({ flows }) => flows.map(({ name }) => name)));
  const problems: Diagnostic[] = [];
  for (const [index, { flows }] of addedRailsRails.entries()) {
    for (const { name } of flows) {
      const hint = "each flow needs a name of its own; rename it";
      const path = `options.library[${index}]`;
      if (taken.has(name)) problems.push(createDiagnostic("CF-104", `there are two rails \`${name}\``, { path, hint }));
      taken.add(name);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Returns the diagnostic of an invalid setting below `rails.config.<key>`. Default of its hint: the description of the setting. */
export function settingProblem(config: RailsConfig, key: string, problem: SettingProblem): Diagnostic {
  const { path, message, code = "CF-104" } = problem;
  const full = ["rails", "config", key, ...path];
  const hint = problem.hint ?? describeSetting(settingsField(), full);
  return createDiagnostic(code, message, { span: nearestSpan(config, full), hint, path: formatPath(full) });
}

/** Location of a setting, or of its nearest enclosing setting in the configuration. */
function nearestSpan(config: RailsConfig, path: readonly (string | number)[]): Span | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const span = config.spanOf(path.slice(0, length));
    if (span !== undefined) return span;
  }
  return undefined;
}
