import { createDiagnostic, type Diagnostic } from "../diagnostics/diagnostic.js";
import type { SourceFile } from "../diagnostics/source-file.js";
import { createSourceFile } from "../diagnostics/source-file.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import type { ImportStatement } from "./ast.js";
import type { ModuleInput } from "./merge-flows.js";
import { parseColang2 } from "./parse.js";
import { STANDARD_LIBRARY_SOURCES } from "./stdlib/assets.js";
import { quoteText } from "./parse-context.js";

/** Where imports are looked up: the configuration, a directory of `COLANGPATH`, the standard library. */
export interface ImportPlace {
  /** For messages: `the configuration`, `/usr/share/colang`. */
  readonly name: string;
  /** All modules below the directory of this path, or the one file with `.co` appended; undefined if there is neither. */
  find(path: string): readonly SourceFile[] | undefined;
  /** What could have been meant, for near names. */
  names?(): Iterable<string>;
}

export interface ResolveImportsInput {
  /** The program itself, in load order. */
  readonly sources: readonly SourceFile[];
  /** In the order in which they are searched; the standard library comes last of itself. */
  readonly places?: readonly ImportPlace[];
  /** Modules imported as if each program file said so, by path. */
  readonly imports?: readonly string[];
}

export interface ResolvedImports {
  /** For `compileColang2`: what is imported before what imports it. */
  readonly modules: readonly ModuleInput[];
  readonly diagnostics: readonly Diagnostic[];
}

interface LoadedModule extends ModuleInput {
  /** How many imports lie between the module and the program. */
  readonly distance: number;
}

/**
 * Finds and parses all modules of a program (R-IMPORT). Imports are transitive, each module is loaded once, and circles are
 * harmless. It reads nothing itself: places know what there is.
 *
 * @example
 * ```ts
 * const { modules } = resolveImports({ sources: [createSourceFile("main.co", "import core\n\nflow main\n  ...")] });
 * modules.map(({ name }) => name); // ["core", "main.co"]
 * ```
 */
export function resolveImports({ sources, places = [], imports = [] }: ResolveImportsInput): ResolvedImports {
  const loader = new Loader([...places, STANDARD_LIBRARY]);
  for (const source of sources) loader.load(source, 0);
  for (const path of imports) loader.follow({ path }, 0);
  loader.run();
  loader.skipColang1();
  // Of equally distant modules the later one is closer to the program (R-OVERRIDE); sorting keeps their order.
  const modules = loader.modules.toSorted((left, right) => right.distance - left.distance);
  return { modules: modules.map(({ name, ast }) => ({ name, ast })), diagnostics: loader.diagnostics };
}

/** Of the parser, for a source of Colang 1.0. */
const OTHER_VERSION = "C2-101";

function skipped({ span }: Diagnostic): Diagnostic {
  const message = "this is Colang 1.0, so the file is skipped, and the flows in it are missing";
  const hint = "write its flows in Colang 2.x, or take the file out of the configuration";
  return createDiagnostic("C2-311", message, { span, hint });
}

type Wanted = Pick<ImportStatement, "path"> & Partial<Pick<ImportStatement, "pathSpan">>;

class Loader {
  modules: LoadedModule[] = [];
  diagnostics: Diagnostic[] = [];
  readonly #places: readonly ImportPlace[];
  readonly #loaded = new Set<string>();
  readonly #followed = new Set<string>();
  readonly #waiting: { readonly wanted: Wanted; readonly distance: number }[] = [];

  constructor(places: readonly ImportPlace[]) {
    this.#places = places;
  }

  load(source: SourceFile, distance: number): void {
    if (this.#loaded.has(source.name)) return;
    this.#loaded.add(source.name);
    const { ast, diagnostics } = parseColang2(source);
    this.modules.push({ name: source.name, ast, distance });
    this.diagnostics.push(...diagnostics);
    for (const statement of ast.imports) this.follow(statement, distance);
  }

  follow(wanted: Wanted, distance: number): void {
    this.#waiting.push({ wanted, distance: distance + 1 });
  }

  // Breadth first, so that the first distance found for a module is its smallest.
  run(): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { wanted, distance } = next;
      const path = cleanPath(wanted.path);
      if (path !== undefined && this.#followed.has(path)) continue;
      const found = path === undefined ? undefined : this.#find(path);
      if (path !== undefined && found) this.#followed.add(path);
      if (!found) this.#reportMissing(wanted);
      for (const source of found ?? []) this.load(source, distance);
    }
  }

  /**
   * A file of the other version is left out among files of this one (spec 2.1). Where there is no other file, nothing would
   * be left, so that the error of the parser stands.
   */
  skipColang1(): void {
    const isSkipped = ({ code, span }: Diagnostic): boolean => code === OTHER_VERSION && span !== undefined;
    const names = new Set(this.diagnostics.filter(isSkipped).map(({ span }) => span?.source.name));
    const isOurs = ({ name, ast }: LoadedModule): boolean =>
      name.endsWith(".co") && !names.has(name) && ast.flows.length + ast.imports.length > 0;
    if (names.size === 0 || !this.modules.some(isOurs)) return;
    this.modules = this.modules.filter(({ name }) => !names.has(name));
    this.diagnostics = this.diagnostics.map((known) => (isSkipped(known) ? skipped(known) : known));
  }

  #find(path: string): readonly SourceFile[] | undefined {
    for (const place of this.#places) {
      const found = place.find(path);
      if (found) return found;
    }
    return undefined;
  }

  #reportMissing({ path, pathSpan }: Wanted): void {
    const searched = this.#places.map(({ name }) => name).join(", ");
    const names = new Set(this.#places.flatMap((place) => [...(place.names?.() ?? [])]));
    const near = didYouMean(path, names);
    const hint = near ?? `searched in ${searched} for a directory of that name and for ${quoteText(`${path}.co`)}`;
    this.diagnostics.push(
      createDiagnostic("C2-102", `module ${quoteText(path)} is not found`, { span: pathSpan, hint }),
    );
  }
}

/** A path below a place, never out of it; undefined when it tries to leave. */
function cleanPath(path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") ? undefined : parts.join("/");
}

/**
 * A place made of files that are known already, named by their paths with slashes.
 *
 * @example
 * ```ts
 * placeOfFiles("the configuration", [createSourceFile("shop/checkout.co", text)]).find("shop")?.length; // 1
 * ```
 */
export function placeOfFiles(name: string, files: readonly SourceFile[]): ImportPlace {
  return {
    name,
    find: (path) => {
      const below = files.filter((file) => file.name.startsWith(`${path}/`) && file.name.endsWith(".co"));
      if (below.length > 0) return below;
      const single = files.find((file) => file.name === `${path}.co`);
      return single ? [single] : undefined;
    },
    names: () => files.map((file) => file.name.replace(/\.co$/, "")),
  };
}

/** The modules that come with the package; their names have no extension, so no file of a program is taken for one. */
const STANDARD_LIBRARY: ImportPlace = {
  name: "the standard library",
  find: (path) => {
    const found = STANDARD_LIBRARY_SOURCES.find(({ name }) => name === `colang2/stdlib/${path}.co`);
    return found && [createSourceFile(path, found.text)];
  },
  names: standardModuleNames,
};

/** The names under which the modules of the standard library are imported. */
export function standardModuleNames(): readonly string[] {
  return STANDARD_LIBRARY_SOURCES.map(({ name }) => name.replace(/^colang2\/stdlib\/(.*)\.co$/, "$1"));
}
