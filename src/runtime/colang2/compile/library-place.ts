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

/** Rails whose flows are written when they are imported. */
const WRITTEN: ReadonlyMap<string, RailManifest> = new Map(
  LIBRARY_RAILS.filter(isWrittenLate).map((rail) => [moduleName2(rail), rail]),
);

const SHIPPED = placeOfShipped("the rail library", MODULES);

/** The path under which programs for NeMo Guardrails import its rails. */
const NEMO_LIBRARY = "nemoguardrails/library";

/** The folders of NeMo Guardrails whose rails are ours under another path. */
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

/** The rails of the library as modules, also under the paths of NeMo Guardrails. */
export const LIBRARY_PLACE: ImportPlace = {
  name: SHIPPED.name,
  find: (path) => {
    const found = modulesOf(path).flatMap((module) => {
      const rail = WRITTEN.get(module);
      return rail === undefined ? (SHIPPED.find(module) ?? []) : [writtenModule2(rail)];
    });
    return found.length > 0 ? found : undefined;
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

/** The modules of the library by the rails that configurations list. */
export function libraryFlows(): ReadonlyMap<string, string> {
  owners ??= new Map(LIBRARY_RAILS.flatMap((rail) => rail.flows.map(({ name }) => [name, moduleName2(rail)] as const)));
  return owners;
}

export function isLibraryModule(module: string): boolean {
  return MODULES.has(module) || WRITTEN.has(module);
}

/** Returns true for the path of an import that is looked up in the library, whether it is there or not. */
function isLibraryPath(path: string): boolean {
  return isLibraryModule(path) || isOfNemo(path);
}

/** The `import` lines of a Colang 2.x file. Modules that come with the package stand behind all places on the disk. */
export function findImports(source: SourceFile): readonly ColangImport[] {
  const standard = new Set(standardModuleNames());
  return parseColang2(source).ast.imports.flatMap(({ path, pathSpan, span }) =>
    path === "" ? [] : [{ path, span: pathSpan ?? span, isBuiltIn: standard.has(path) || isLibraryPath(path) }],
  );
}
