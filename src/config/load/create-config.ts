import type { Span } from "../../diagnostics/source-file.js";
import type { RailsConfig, SettingsPath } from "../rails-config.js";
import { EMPTY_MAP, keySpanAt, nodeAt, rawFromValue, type RawMap } from "../yaml/raw-node.js";

interface ConfigParts extends Omit<RailsConfig, "kind" | "spanOf" | "path"> {
  readonly path: string | undefined;
  /** Settings as written, with all locations and without defaults. */
  readonly root: RawMap;
}

const roots = new WeakMap<RailsConfig, RawMap>();

/** Creates an immutable configuration that knows the place of each setting. */
export function createRailsConfig({ root, path, ...parts }: ConfigParts): RailsConfig {
  const config: RailsConfig = Object.freeze({
    kind: "RailsConfig",
    ...parts,
    ...(path === undefined ? {} : { path }),
    spanOf: (settingsPath: SettingsPath): Span | undefined =>
      nodeAt(root, settingsPath)?.span ?? keySpanAt(root, settingsPath),
  });
  roots.set(config, root);
  return config;
}

/** Returns the settings of a configuration as written, without defaults. A hand-made one counts as written. */
export function writtenSettings(config: RailsConfig): RawMap {
  const known = roots.get(config);
  if (known) return known;
  const root = rawFromValue(config.settings, []);
  return root.kind === "map" ? root : EMPTY_MAP;
}
