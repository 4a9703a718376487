import type { MaybePromise } from "../../engine/async.js";
import type { ConfigCode } from "../rails-config.js";
import type { Environment } from "../environment.js";
import type { SourceFile, Span } from "../../diagnostics/source-file.js";

/** An `import` line. A built-in module need not be found elsewhere. */
export interface ColangImport {
  readonly path: string;
  readonly span: Span;
  readonly isBuiltIn?: boolean;
}

/** The `import` lines of a Colang file of this version; the parsers that find them belong to the front ends. */
type FindColangImports = (source: SourceFile, version: "1.0" | "2.x") => MaybePromise<readonly ColangImport[]>;

/** Options of loading a configuration. */
export interface LoadOptions {
  /** The variables of the environment; those of the process by default. */
  readonly env?: Environment;
  /** Import `config.*` and `actions.*` of the configuration; on by default. */
  readonly allowCode?: boolean;
  /**
   * Folders, other than that of the configuration, whose code may be imported. Code is never imported from a folder that only
   * the text of a configuration names.
   */
  readonly codeFolders?: readonly string[];
  /** How code is imported; `import()` by default. */
  readonly importModule?: (url: string) => Promise<Readonly<Record<string, unknown>>>;
  /** Finds `import` lines in Colang files. Without it they are not followed. */
  readonly colangImports?: FindColangImports;
  /** Keys of `rails.config` whose rails exist; none by default. */
  readonly knownRailSettings?: ReadonlySet<string>;
  /** Loads the settings that configurations can extend, by the names of presets; none by default. */
  readonly presets?: () => Promise<Readonly<Record<string, unknown>>>;
  /** Further keys of `rails.config`, for rails that check their settings themselves; none by default. */
  readonly ownRailSettings?: readonly string[];
  /** Types of models the caller brings along, so that their entries need neither name nor key. */
  readonly suppliedModels?: readonly string[];
  /** Engines whose models need a name; all by default. Engines of the caller's own may need none. */
  readonly namedModelEngines?: ReadonlySet<string> | undefined;
  /** Tasks that have built-in prompts. */
  readonly builtInTasks?: ReadonlySet<string>;
  /** False imports nothing from the disk into a configuration that is given as text; true by default. */
  readonly readsDisk?: boolean;
  /** Code for a configuration that is given as text, in place of none. */
  readonly code?: ConfigCode;
  /** True takes a folder that holds code alone; false by default. */
  readonly codeAlone?: boolean;
  /** Places of settings that are left out, such as `rails.input.flows[0]`: what stands elsewhere can be checked without them. */
  readonly without?: readonly string[];
  /** How many files a folder may hold; 10,000 by default. */
  readonly maxFiles?: number;
}

/** A configuration that is given and not read: as text, as files in memory, as data, or several of these. */
export interface ConfigContent {
  readonly yaml?: string;
  readonly colang?: string;
  /** By path, as they would lie in a folder: `{ "config.yml": "...", "rails/main.co": "..." }`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Settings as data, spelled as in YAML; they win over the YAML. */
  readonly config?: unknown;
}
