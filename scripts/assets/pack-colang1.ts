import { packFile } from "../../src/colang1/packed-file.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";

/**
 * Parses files of the package into the form that `openPackedFile` reads, in the same order.
 *
 * @throws Error for the least remark on a file
 */
export function packFiles(files: readonly { readonly name: string; readonly text: string }[]): readonly string[] {
  return files.map(({ name, text }) => {
    const { file, diagnostics } = parseColang1(createSourceFile(name, text));
    for (const { code, message } of diagnostics) throw new Error(`${name}: ${code} ${message}`);
    return packFile(file);
  });
}
