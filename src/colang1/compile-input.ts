import type { SourceFile, Span } from "../diagnostics/source-file.js";
import type { ColangFile } from "./ast.js";

/** Sources of definitions. The order is the precedence: for each id the first origin that has one wins. */
export const ORIGINS = ["yaml", "root", "import", "default", "library"] as const;

export type Origin = (typeof ORIGINS)[number];

/** A parsed file. Files of one origin keep the order of the list: by path in the root, by import order elsewhere. */
export interface CompileFile {
  readonly file: ColangFile;
  readonly origin: Origin;
  /** Paths of `import` lines that the loader could not find. */
  readonly unresolvedImports?: readonly string[];
}

/** Colang in the settings. */
export interface YamlColang {
  /** The raw value of the key `flows`. */
  readonly flows?: unknown;
  readonly userMessages?: Readonly<Record<string, readonly string[]>>;
  readonly botMessages?: Readonly<Record<string, readonly string[]>>;
  readonly source?: SourceFile;
  /** The place of a value, by its path: `["flows", 0, "elements", 2]`. */
  spanOf?(path: readonly (string | number)[]): Span | undefined;
}

/** An entry of `rails.<stage>.flows` as written, with its place. */
export interface RailReference {
  readonly text: string;
  readonly span?: Span;
  readonly path?: string;
}

/** Facts about actions that are known when flows are compiled. */
export interface ActionCatalog {
  has(name: string): boolean;
  /** Declared parameter names in order; undefined when the action does not declare them. */
  parametersOf(name: string): readonly string[] | undefined;
  /** Every parameter that the action takes; undefined where that is not known. */
  acceptedBy?(name: string): readonly string[] | undefined;
  /** False when more actions may turn up later, for example on an action server. */
  readonly complete: boolean;
  /** Names for suggestions. */
  readonly names?: readonly string[];
}

export interface CompileInput {
  readonly files: readonly CompileFile[];
  readonly yaml?: YamlColang;
  readonly rails?: {
    readonly input?: readonly RailReference[];
    readonly output?: readonly RailReference[];
    readonly retrieval?: readonly RailReference[];
    /** On calls of tools and on their results. */
    readonly tools?: readonly RailReference[];
  };
  /** Read-only variables of expressions, such as `config`. */
  readonly constants?: Readonly<Record<string, unknown>>;
  /** Without it unknown actions are not reported. */
  readonly actions?: ActionCatalog;
  /** Variables that exist besides those the language predefines. */
  readonly predefinedVariables?: readonly string[];
  /** Names of flows that exist elsewhere, for suggestions. */
  readonly otherFlows?: readonly string[];
  /** Templates of the prompts of the configuration, which read variables, too. */
  readonly prompts?: readonly string[];
}
