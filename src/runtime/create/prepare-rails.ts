import type { RailsConfig } from "../../config/rails-config.js";
import { defaultRailSettings } from "../../config/schema/rail-config.js";
import { formatPath } from "../../config/yaml/raw-node.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import type { Span } from "../../diagnostics/source-file.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { findLibraryFlow, LIBRARY_RAILS } from "../../library/manifest.js";
import { RailParts } from "../../library/rail-code.js";
import type { RailManifest, RailSettings, SettingProblem } from "../../library/rail-manifest.js";
import { listedRails } from "../../rails/tools/tool-rails.js";

/**
 * Loads the code of the listed rails of the library and turns their settings into what their actions use.
 *
 * @throws ConfigError `CF-104` for settings that cannot be honoured
 */
export async function prepareRails(config: RailsConfig): Promise<RailParts> {
  const { rails } = config.settings;
  const settingsOf = (key: string): RailSettings =>
    // The schema makes an object of each section.
    Object.hasOwn(rails.config, key) ? (rails.config[key] as RailSettings) : defaultRailSettings(key);
  const parts = new RailParts(LIBRARY_RAILS, settingsOf);
  const listed = new Map<RailManifest, Set<string>>();
  for (const { text } of listedRails(rails)) {
    const { id, parameters } = parseFlowReference(text);
    const known = findLibraryFlow(id);
    if (known === undefined) continue;
    const variant = parameters.find(({ name }) => name === "variant")?.value;
    const key = variant === undefined ? known.flow.stage : `${known.flow.stage} ${variant}`;
    listed.set(known.rail, (listed.get(known.rail) ?? new Set()).add(key));
  }
  const problems: Diagnostic[] = [];
  for (const [rail, keys] of listed) {
    const found = await parts.prepare(rail, keys);
    problems.push(...found.map((problem) => settingProblem(config, rail.settings ?? rail.name, problem)));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return parts;
}

/** Returns the diagnostic of a setting below `rails.config.<key>` that cannot be honoured. */
export function settingProblem(config: RailsConfig, key: string, { path, message, hint }: SettingProblem): Diagnostic {
  const full = ["rails", "config", key, ...path];
  return createDiagnostic("CF-104", message, { span: nearestSpan(config, full), hint, path: formatPath(full) });
}

/** The place of a setting, or of the nearest one around it that is written in the configuration. */
function nearestSpan(config: RailsConfig, path: readonly (string | number)[]): Span | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const span = config.spanOf(path.slice(0, length));
    if (span !== undefined) return span;
  }
  return undefined;
}
