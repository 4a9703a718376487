import { addAll } from "../../diagnostics/add-all.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import type { ImportStatement } from "../ast.js";
import { type ImportPlace, placeOfShipped, type ShippedSource } from "./import-place.js";
import type { ModuleInput } from "../merge-flows.js";
import { parseColang2, type ParsedColang2 } from "../parse/parse.js";
import { STANDARD_LIBRARY_SOURCES } from "../stdlib/assets.js";
import { STANDARD_LIBRARY_PACKED } from "../stdlib/packed.js";
import { quoteText } from "../../diagnostics/diagnostic.js";

export interface ResolveImportsInput {
  /** The program itself, in load order. */
  readonly sources: readonly SourceFile[];
  /** In search order; the standard library is always last. */
  readonly places?: readonly ImportPlace[];
  /** Paths of modules that every program file imports implicitly. */
  readonly imports?: readonly string[];
}

export interface ResolvedImports {
  /** For `compileColang2`: imported modules come before their importers. */
  readonly modules: readonly ModuleInput[];
  readonly diagnostics: readonly Diagnostic[];
}

interface LoadedModule {
  readonly module: ModuleInput;
  /** Number of imports between the module and the program. */
  readonly distance: number;
}

/**
 * Finds and parses all modules of a program. Imports are transitive, each module is loaded once, and cycles are
 * harmless. It reads no files itself.
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
  // Among equally distant modules, the later one is closer to the program; the sort is stable.
  const modules = loader.modules.toSorted((left, right) => right.distance - left.distance);
  return { modules: modules.map(({ module }) => module), diagnostics: loader.diagnostics };
}

/** Parser code for a source of Colang 1.0. */
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

  load(found: SourceFile | ModuleInput, distance: number): void {
    if (this.#loaded.has(found.name)) return;
    this.#loaded.add(found.name);
    const module = "ast" in found ? found : this.#parse(found);
    this.modules.push({ module, distance });
    for (const statement of module.ast.imports) this.follow(statement, distance);
  }

  #parse(source: SourceFile): ModuleInput {
    const { ast, diagnostics } = parseOnce(source);
    addAll(this.diagnostics, diagnostics);
    return { name: source.name, ast };
  }

  follow(wanted: Wanted, distance: number): void {
    this.#waiting.push({ wanted, distance: distance + 1 });
  }

  // Breadth first, so the first distance found for a module is its smallest.
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
   * Among files of this version, a file of the other one is left out. If it is the only one, the parser's error is
   * reported.
   */
  skipColang1(): void {
    const isSkipped = ({ code, span }: Diagnostic): boolean => code === OTHER_VERSION && span !== undefined;
    const names = new Set(this.diagnostics.filter(isSkipped).map(({ span }) => span?.source.name));
    const isOurs = ({ module: { name, ast } }: LoadedModule): boolean =>
      name.endsWith(".co") && !names.has(name) && ast.flows.length + ast.imports.length > 0;
    if (names.size === 0 || !this.modules.some(isOurs)) return;
    this.modules = this.modules.filter(({ module }) => !names.has(module.name));
    this.diagnostics = this.diagnostics.map((known) => (isSkipped(known) ? skipped(known) : known));
  }

  #find(path: string): ReturnType<ImportPlace["find"]> {
    for (const place of this.#places) {
      const found = place.find(path);
      if (found) return found;
    }
    return undefined;
  }

  #reportMissing({ path, pathSpan }: Wanted): void {
    const searched = this.#places.map(({ name }) => name).join(", ");
    const names = new Set(this.#places.flatMap((place) => [...(place.names?.() ?? [])]));
    const known = this.#places.map((place) => place.hintFor?.(path)).find((hint) => hint !== undefined);
    const hint =
      known ??
      didYouMean(path, names) ??
      `searched in ${searched} for a directory of that name and for ${quoteText(`${path}.co`)}`;
    this.diagnostics.push(
      createDiagnostic("C2-102", `module ${quoteText(path)} is not found`, { span: pathSpan, hint }),
    );
  }
}

/** A configuration is resolved again once its rails are known; sources never change. */
const parsedSources = new WeakMap<SourceFile, ParsedColang2>();

function parseOnce(source: SourceFile): ParsedColang2 {
  const parsed = parsedSources.get(source) ?? parseColang2(source);
  parsedSources.set(source, parsed);
  return parsed;
}

/** Resolves a path below a location; undefined if it would leave it. */
function cleanPath(path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") ? undefined : parts.join("/");
}

/** Modules of the standard library by import name. */
const STANDARD_MODULES: ReadonlyMap<string, ShippedSource> = new Map(
  STANDARD_LIBRARY_SOURCES.map(({ name, text }, at) => [
    name.replace(/^colang2\/stdlib\/(.*)\.co$/, "$1"),
    { text, packed: STANDARD_LIBRARY_PACKED[at] ?? "" },
  ]),
);

const STANDARD_LIBRARY = placeOfShipped("the standard library", STANDARD_MODULES);

const modulesByFlow = new Map<string, string>();

/** The module of the standard library that defines a flow of this name. */
export function standardModuleOf(flow: string): string | undefined {
  // Found when a name is first unknown, since most programs have no such names.
  if (modulesByFlow.size === 0) {
    for (const [name, { text }] of STANDARD_MODULES) {
      for (const [, header = ""] of text.matchAll(/^flow ([^_\n][^$\n]*?)(?= \$| ->|$)/gm)) {
        if (!modulesByFlow.has(header)) modulesByFlow.set(header, name);
      }
    }
  }
  return modulesByFlow.get(flow);
}

/** Import names of the standard library. */
export function standardModuleNames(): readonly string[] {
  return [...STANDARD_MODULES.keys()];
}
