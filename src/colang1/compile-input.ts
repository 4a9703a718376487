import type { SourceFile, Span } from "../diagnostics/source-file.js";
import type { ColangFile } from "./ast.js";

/** Origins of definitions in order of precedence: for each id, the first origin with a definition wins. */
export const ORIGINS = ["yaml", "root", "import", "default", "library"] as const;

export type Origin = (typeof ORIGINS)[number];

/** A parsed file. Files of one origin keep their order in the list: by path in the root, otherwise by import. */
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
  /** Returns the location of a value, by its path: `["flows", 0, "elements", 2]`. */
  spanOf?(path: readonly (string | number)[]): Span | undefined;
}

/** An entry of `rails.<stage>.flows` as written, with its location. */
export interface RailReference {
  readonly text: string;
  readonly span?: Span;
  readonly path?: string;
}

/** Facts about actions that are known at compile time. */
export interface ActionCatalog {
  has(name: string): boolean;
  /** Returns the declared parameter names in order; undefined if the action declares none. */
  parametersOf(name: string): readonly string[] | undefined;
  /** Returns every parameter that the action accepts; undefined if unknown. */
  acceptedBy?(name: string): readonly string[] | undefined;
  /** False if more actions may be added later, for example by an action server. */
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
    /** Rails on tool calls and tool results. */
    readonly tools?: readonly RailReference[];
  };
  /** Read-only variables of expressions, such as `config`. */
  readonly constants?: Readonly<Record<string, unknown>>;
  /** Without it, unknown actions are not reported. */
  readonly actions?: ActionCatalog;
  /** Variables in addition to those predefined by the language. */
  readonly predefinedVariables?: readonly string[];
  /** Names of flows that exist elsewhere, for suggestions. */
  readonly otherFlows?: readonly string[];
  /** Prompt templates of the configuration, which also read variables. */
  readonly prompts?: readonly string[];
}
