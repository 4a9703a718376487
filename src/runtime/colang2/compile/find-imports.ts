import { standardModuleNames } from "../../../colang2/imports/imports.js";
import { parseColang2 } from "../../../colang2/parse/parse.js";
import type { ColangImport } from "../../../config/load/imports.js";
import type { SourceFile } from "../../../diagnostics/source-file.js";
import { isLibraryPath } from "./library-place.js";

/** The `import` lines of a Colang 2.x file. Modules that come with the package stand behind all places on the disk. */
export function findImports(source: SourceFile): readonly ColangImport[] {
  const standard = new Set(standardModuleNames());
  return parseColang2(source).ast.imports.flatMap(({ path, pathSpan, span }) =>
    path === "" ? [] : [{ path, span: pathSpan ?? span, isBuiltIn: standard.has(path) || isLibraryPath(path) }],
  );
}
