import { compileColang2 } from "../../dist/colang2/compile.js";
import { resolveImports, standardModuleNames } from "../../dist/colang2/imports.js";
import { createSourceFile } from "../../dist/diagnostics/source-file.js";
import { cpuPerCall } from "../measure.mjs";

const load = (text) => compileColang2(resolveImports({ sources: [createSourceFile("main.co", text)] }));

/** What compiling Colang 2.x costs: groups, which must not multiply, and the whole standard library. */
export async function colang2Cases() {
  const pairs = Array.from({ length: 20 }, (_, at) => `(A${at}() or B${at}())`).join(" and ");
  const groups = `flow main\n  match ${pairs}\n`;
  const library = `${standardModuleNames()
    .map((name) => `import ${name}\n`)
    .join("")}flow main\n  pass\n`;
  const times = { samples: 11, inner: 2, warmup: 20 };
  return [
    {
      name: "compile 20 binary alternatives",
      value: cpuPerCall(() => load(groups), times),
      unit: "ms",
      limit: 10,
    },
    { name: "load the standard library", value: cpuPerCall(() => load(library), times), unit: "ms", limit: 40 },
  ];
}
