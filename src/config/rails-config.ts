import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { SourceFile, Span } from "../diagnostics/source-file.js";
import type { RailsSettings } from "./settings.js";

/** A Colang file of the configuration, in load order. */
export interface ColangSource {
  readonly source: SourceFile;
  readonly origin: "root" | "import";
  /** True for flows that come from settings or from rails of the program, and not from a file. */
  readonly isGenerated?: true;
}

/** A markdown document of `kb/`. */
export interface KnowledgeDocument {
  readonly path: string;
  readonly format: "md";
  readonly content: string;
}

/** Exports of the code modules of a configuration. Empty when `allowCode` is false. */
export interface ConfigCode {
  /** `init` exports, imported paths first. */
  readonly inits: readonly { readonly path: string; readonly init: (app: unknown) => unknown }[];
  /** Exports of action modules, later ones replacing earlier ones of the same name. */
  readonly actions: readonly { readonly path: string; readonly name: string; readonly value: unknown }[];
}

/** A place in the settings, such as `["rails", "input", "flows", 0]`. */
export type SettingsPath = readonly (string | number)[];

/**
 * A loaded and validated configuration. It is plain apart from `code` and `spanOf`; nothing in it changes after loading.
 */
export interface RailsConfig {
  readonly kind: "RailsConfig";
  readonly settings: RailsSettings;
  readonly colang: readonly ColangSource[];
  readonly documents: readonly KnowledgeDocument[];
  readonly code: ConfigCode;
  /** The folder or file it came from; absent for configurations given as text. */
  readonly path?: string;
  readonly warnings: readonly Diagnostic[];
  /** The place of a setting in its file, for diagnostics of later stages. */
  spanOf(path: SettingsPath): Span | undefined;
}
