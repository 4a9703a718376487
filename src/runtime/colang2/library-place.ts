import { type ImportPlace, placeOfShipped, type ShippedSource } from "../../colang2/import-place.js";
import { LIBRARY_SOURCES_2 } from "../../library/assets.js";
import { LIBRARY_PACKED_2 } from "../../library/packed.js";

/** `library/self-check-input/flows.co` is imported as `library.self_check_input`. */
const MODULES: ReadonlyMap<string, ShippedSource> = new Map(
  LIBRARY_SOURCES_2.map(({ name, text }, at) => [
    name.replace(/(?:\/flows)?\.co$/, "").replaceAll("-", "_"),
    { text, packed: LIBRARY_PACKED_2[at] ?? "" },
  ]),
);

/** The rails of the library as modules. */
export const LIBRARY_PLACE: ImportPlace = placeOfShipped("the rail library", MODULES);

let owners: ReadonlyMap<string, string> | undefined;

/** Which module of the library defines a flow. */
export function libraryFlows(): ReadonlyMap<string, string> {
  owners ??= new Map(
    [...MODULES.keys()].flatMap((module) =>
      (LIBRARY_PLACE.find(module) ?? []).flatMap((found) =>
        "ast" in found ? found.ast.flows.map(({ id }) => [id, module] as const) : [],
      ),
    ),
  );
  return owners;
}

export function isLibraryModule(module: string): boolean {
  return MODULES.has(module);
}
