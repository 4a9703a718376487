import { parseColang1 } from "../../../colang1/parse/parse.js";
import type { SourceFile } from "../../../diagnostics/source-file.js";

type Parsed = ReturnType<typeof parseColang1>;

const parsed = new WeakMap<SourceFile, Parsed>();

/** Parses a file once, though loading asks for its imports and compiling for all of it. */
export function parseSource(source: SourceFile): Parsed {
  let result = parsed.get(source);
  if (result === undefined) {
    result = parseColang1(source);
    parsed.set(source, result);
  }
  return result;
}
