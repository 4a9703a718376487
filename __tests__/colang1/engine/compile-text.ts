import { compileColang1 } from "../../../src/colang1/compile.js";
import type { Colang1Program, CompiledFlow } from "../../../src/colang1/elements.js";
import { parseColang1 } from "../../../src/colang1/parse/parse.js";
import { formatDiagnostics } from "../../../src/diagnostics/code-frame.js";
import { isError } from "../../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";

/** A program from source text, with system flows after its own. */
export function compileText(source: string, systemFlows: readonly CompiledFlow[] = []): Colang1Program {
  const { file, diagnostics } = parseColang1(createSourceFile("main.co", source));
  const compiled = compileColang1({ files: [{ file, origin: "root" }], constants: { config: { mode: "closed" } } });
  const errors = [...diagnostics, ...compiled.diagnostics].filter(isError);
  if (!compiled.program || errors.length > 0) throw new Error(formatDiagnostics(errors));
  return { ...compiled.program, flows: [...compiled.program.flows, ...systemFlows] };
}
