import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { SourceFile, Span } from "../diagnostics/source-file.js";
import type { RailsSettings } from "./settings.js";

/** A Colang file of the configuration, in load order. */
export interface ColangSource {
  readonly source: SourceFile;
  readonly origin: "root" | "import";
  /** True for flows from settings or from rails defined by the program, rather than from a file. */
  readonly isGenerated?: true;
}

/** A markdown document of `kb/`. */
export interface KnowledgeDocument {
  readonly path: string;
  readonly format: "md";
  readonly content: string;
}

/** Exports of a configuration's code modules. Empty if `allowCode` is false. */
export interface ConfigCode {
  /** `init` exports, imported paths first. */
  readonly inits: readonly { readonly path: string; readonly init: (app: unknown) => unknown }[];
  /** Exports of action modules; later ones replace earlier ones with the same name. */
  readonly actions: readonly { readonly path: string; readonly name: string; readonly value: unknown }[];
}

/** A path in the settings, such as `["rails", "input", "flows", 0]`. */
export type SettingsPath = readonly (string | number)[];

/** A loaded and validated configuration. Plain data apart from `code` and `spanOf`; immutable after loading. */
export interface RailsConfig {
  readonly kind: "RailsConfig";
  readonly settings: RailsSettings;
  readonly colang: readonly ColangSource[];
  readonly documents: readonly KnowledgeDocument[];
  readonly code: ConfigCode;
  /** Folder or file that it was loaded from; absent for configurations given as text. */
  readonly path?: string;
  readonly warnings: readonly Diagnostic[];
  /** Returns the location of a setting in its file, for diagnostics of later stages. */
  spanOf(path: SettingsPath): Span | undefined;
}
