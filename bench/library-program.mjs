import { compileColang2 } from "../build/colang2/compile.js";
import { resolveImports, standardModuleNames } from "../build/colang2/imports/imports.js";
import { createSourceFile } from "../build/diagnostics/source-file.js";

const LIBRARY = `${standardModuleNames()
  .map((name) => `import ${name}\n`)
  .join("")}flow main\n  pass\n`;

/** Loads one module of Colang 2.x with what it imports. */
export function load(text) {
  return compileColang2(resolveImports({ sources: [createSourceFile("main.co", text)] }));
}

/** A program that imports the whole standard library. */
export function loadLibrary() {
  return load(LIBRARY);
}

/** Milliseconds of processor time. */
export function cpuOf(work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
