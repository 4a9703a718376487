import type { MaybePromise } from "../../engine/async.js";
import type { ConfigCode } from "../rails-config.js";
import type { Environment } from "../environment.js";
import type { SourceFile, Span } from "../../diagnostics/source-file.js";

/** An `import` line. A built-in module need not exist elsewhere. */
export interface ColangImport {
  readonly path: string;
  readonly span: Span;
  readonly isBuiltIn?: boolean;
}

/** Finds the `import` lines of a Colang file of this version; the dialects provide their parsers. */
type FindColangImports = (source: SourceFile, version: "1.0" | "2.x") => MaybePromise<readonly ColangImport[]>;

/** Options for loading a configuration. */
export interface LoadOptions {
  /** Environment variables. Default: those of the process. */
  readonly env?: Environment;
  /** Import `config.*` and `actions.*` of the configuration. Default: true. */
  readonly allowCode?: boolean;
  /**
   * Folders, other than that of the configuration, whose code may be imported. Code is never imported from a folder
   * named only in the text of a configuration.
   */
  readonly codeFolders?: readonly string[];
  /** Imports code. Default: `import()`. */
  readonly importModule?: (url: string) => Promise<Readonly<Record<string, unknown>>>;
  /** Finds `import` lines in Colang files. Default: they are not followed. */
  readonly colangImports?: FindColangImports;
  /** Keys of `rails.config` whose rails exist. Default: none. */
  readonly knownRailSettings?: ReadonlySet<string>;
  /** Loads the settings that configurations can extend, by preset name. Default: none. */
  readonly presets?: () => Promise<Readonly<Record<string, unknown>>>;
  /** Additional keys of `rails.config`, for rails that check their settings themselves. Default: none. */
  readonly ownRailSettings?: readonly string[];
  /** Types of models supplied by the caller, whose entries need neither name nor key. */
  readonly suppliedModels?: readonly string[];
  /** Engines whose models need a name. Default: all; custom engines may need none. */
  readonly namedModelEngines?: ReadonlySet<string> | undefined;
  /** Tasks with built-in prompts. */
  readonly builtInTasks?: ReadonlySet<string>;
  /** False to import nothing from the disk into a configuration given as text. Default: true. */
  readonly readsDisk?: boolean;
  /** Code for a configuration given as text. Default: none. */
  readonly code?: ConfigCode;
  /** True to accept a folder with only code. Default: false. */
  readonly codeAlone?: boolean;
  /** Paths of settings to leave out, such as `rails.input.flows[0]`, so that others can be checked without them. */
  readonly without?: readonly string[];
  /** Maximum number of files in a folder. Default: 10,000. */
  readonly maxFiles?: number;
}

/** A configuration given as text, as files in memory, as data, or several of these. */
export interface ConfigContent {
  readonly yaml?: string;
  readonly colang?: string;
  /** Files by path, as in a folder: `{ "config.yml": "...", "rails/main.co": "..." }`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Settings as data, spelled as in YAML; override those in YAML. */
  readonly config?: unknown;
}
