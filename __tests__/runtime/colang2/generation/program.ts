import { compileColang2 } from "../../../../src/colang2/compile.js";
import { resolveImports } from "../../../../src/colang2/imports/imports.js";
import type { Colang2Program } from "../../../../src/colang2/program.js";
import { isError } from "../../../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../../../src/diagnostics/source-file.js";

/** Compiles a program with what it imports; problems are a failure of the test. */
export function compileProgram(text: string): Colang2Program {
  const known = compiledPrograms.get(text);
  if (known !== undefined) return known;
  const { modules, diagnostics } = resolveImports({ sources: [createSourceFile("main.co", text)] });
  const compiled = compileColang2({ modules });
  const problems = [...diagnostics, ...compiled.diagnostics].filter(isError);
  if (compiled.program === undefined || problems.length > 0) {
    throw new Error(`does not compile:\n${problems.map((one) => `${one.code} ${one.message}`).join("\n")}\n${text}`);
  }
  compiledPrograms.set(text, compiled.program);
  return compiled.program;
}

/** A program never changes, so the same text is compiled once. */
const compiledPrograms = new Map<string, Colang2Program>();
