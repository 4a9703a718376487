// Runs the TypeScript sources without a build: `node --import ./scripts/typescript-loader.mjs file.ts`, or
// `import "./typescript-loader.mjs"` before the first dynamic import of a source.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

import { transform } from "@swc/core";

// The hooks run in a separate thread, which loads this file again.
if (isMainThread) register(import.meta.url);

const OPTIONS = {
  jsc: { parser: { syntax: "typescript" }, target: "es2022" },
  module: { type: "es6" },
  sourceMaps: "inline",
};

export async function resolve(specifier, context, nextResolve) {
  if (specifier.startsWith(".") && specifier.endsWith(".js")) {
    const url = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
    if (existsSync(url)) return { url: url.href, format: "module", shortCircuit: true };
  }
  return await nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.endsWith(".ts")) return await nextLoad(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, "utf8"), { ...OPTIONS, filename });
  return { format: "module", source: code, shortCircuit: true };
}
