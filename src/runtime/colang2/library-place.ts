import type { ImportPlace } from "../../colang2/imports.js";
import { parseColang2 } from "../../colang2/parse.js";
import { createSourceFile } from "../../diagnostics/source-file.js";
import { LIBRARY_SOURCES_2 } from "../../library/assets.js";

/** `library/self-check-input/flows.co` is imported as `library.self_check_input`. */
const MODULES: ReadonlyMap<string, string> = new Map(
  LIBRARY_SOURCES_2.map(({ name, text }) => [name.replace(/(?:\/flows)?\.co$/, "").replaceAll("-", "_"), text]),
);

/** The rails of the library as modules; their names have no extension, so no file of a program is taken for one. */
export const LIBRARY_PLACE: ImportPlace = {
  name: "the rail library",
  find: (path) => {
    const text = MODULES.get(path);
    return text === undefined ? undefined : [createSourceFile(path, text)];
  },
  names: () => MODULES.keys(),
};

let owners: ReadonlyMap<string, string> | undefined;

/** Which module of the library defines a flow. */
export function libraryFlows(): ReadonlyMap<string, string> {
  owners ??= new Map(
    [...MODULES].flatMap(([module, text]) =>
      parseColang2(createSourceFile(module, text)).ast.flows.map(({ id }) => [id, module] as const),
    ),
  );
  return owners;
}

export function isLibraryModule(module: string): boolean {
  return MODULES.has(module);
}
