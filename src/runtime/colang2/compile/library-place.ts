import { type ImportPlace, placeOfShipped, type ShippedSource } from "../../../colang2/imports/import-place.js";
import { LIBRARY_SOURCES_2 } from "../../../library/assets.js";
import { LIBRARY_RAILS } from "../../../library/manifest.js";
import { isWrittenLate, moduleName2, writtenModule2 } from "../../../library/written-flows.js";
import type { RailManifest } from "../../../library/rail-manifest.js";
import { LIBRARY_PACKED_2 } from "../../../library/packed.js";
import { standardModuleNames } from "../../../colang2/imports/imports.js";
import { parseColang2 } from "../../../colang2/parse/parse.js";
import type { ColangImport } from "../../../config/load/load-options.js";
import type { SourceFile } from "../../../diagnostics/source-file.js";

/** `library/self-check-input/flows.co` is imported as `library.self_check_input`. */
const MODULES: ReadonlyMap<string, ShippedSource> = new Map(
  LIBRARY_SOURCES_2.map(({ name, text }, at) => [
    name.replace(/(?:\/flows)?\.co$/, "").replaceAll("-", "_"),
    { text, packed: LIBRARY_PACKED_2[at] ?? "" },
  ]),
);

/** Rails whose flows are generated when they are imported. */
const WRITTEN: ReadonlyMap<string, RailManifest> = new Map(
  LIBRARY_RAILS.filter(isWrittenLate).map((rail) => [moduleName2(rail), rail]),
);

const SHIPPED = placeOfShipped("the rail library", MODULES);

/** Path under which programs for NeMo Guardrails import its rails. */
const NEMO_LIBRARY = "nemoguardrails/library";

/** Folders of NeMo Guardrails whose rails have another path here. */
const NEMO_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  factchecking: ["library/alignscore"],
  "factchecking/align_score": ["library/alignscore"],
  hallucination: ["library/self_check_hallucination"],
  patronusai: ["library/patronus", "library/patronus_lynx"],
  self_check: ["library/self_check_input", "library/self_check_output", "library/self_check_facts"],
  "self_check/facts": ["library/self_check_facts"],
  "self_check/input_check": ["library/self_check_input"],
  "self_check/output_check": ["library/self_check_output"],
  regex: ["library/regex_detection", "library/tool_patterns"],
  sensitive_data_detection: ["library/sensitive_data"],
  privateai: ["library/private_ai"],
  gcp_moderate_text: ["library/gcp_nlp"],
  context_bloat_detection: ["library/context_bloat"],
};

/** Library rails as modules, also under the paths of NeMo Guardrails. */
export const LIBRARY_PLACE: ImportPlace = {
  name: SHIPPED.name,
  find: (path) => {
    const places = modulesOf(path).flatMap((module) => {
      const rail = WRITTEN.get(module);
      return rail === undefined ? (SHIPPED.find(module) ?? []) : [writtenModule2(rail)];
    });
    return places.length > 0 ? places : undefined;
  },
  names: () => [...MODULES.keys(), ...WRITTEN.keys(), NEMO_LIBRARY],
  hintFor: (path) =>
    isOfNemo(path)
      ? "NeMo Guardrails has no such module, or it is not a module of rails; `docs/rails.md` lists the rails"
      : undefined,
};

function modulesOf(path: string): readonly string[] {
  if (path === NEMO_LIBRARY) return [...MODULES.keys(), ...WRITTEN.keys()];
  if (!path.startsWith(`${NEMO_LIBRARY}/`)) return [path];
  const folder = path.slice(NEMO_LIBRARY.length + 1).replace(/\/flows$/, "");
  if (Object.hasOwn(NEMO_FOLDERS, folder)) return NEMO_FOLDERS[folder] ?? [];
  return isLibraryModule(`library/${folder}`) ? [`library/${folder}`] : [];
}

function isOfNemo(path: string): boolean {
  return path === NEMO_LIBRARY || path.startsWith(`${NEMO_LIBRARY}/`);
}

let owners: ReadonlyMap<string, string> | undefined;

/** Modules of the library, by the rails that configurations list. */
export function libraryFlows(): ReadonlyMap<string, string> {
  owners ??= new Map(LIBRARY_RAILS.flatMap((rail) => rail.flows.map(({ name }) => [name, moduleName2(rail)] as const)));
  return owners;
}

export function isLibraryModule(module: string): boolean {
  return MODULES.has(module) || WRITTEN.has(module);
}

/** Returns true for an import path that belongs to the library, whether or not the module exists. */
function isLibraryPath(path: string): boolean {
  return isLibraryModule(path) || isOfNemo(path);
}

/** Finds the `import` lines of a Colang 2.x file. Modules of the package come after all locations on disk. */
export function findImports(source: SourceFile): readonly ColangImport[] {
  const standard = new Set(standardModuleNames());
  return parseColang2(source).ast.imports.flatMap(({ path, pathSpan, span }) =>
    path === "" ? [] : [{ path, span: pathSpan ?? span, isBuiltIn: standard.has(path) || isLibraryPath(path) }],
  );
}
