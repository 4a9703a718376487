// Lets a process that a test starts run our sources: `node --import ./__tests__/typescript-loader.mjs file.ts`.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isMainThread } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import { register } from "node:module";
import { transform } from "@swc/core";

// The hooks run in a thread of their own, which loads this file again.
if (isMainThread) register(import.meta.url);

const OPTIONS = {
  jsc: { parser: { syntax: "typescript" }, target: "es2022" },
  module: { type: "es6" },
  sourceMaps: "inline",
};

export async function resolve(specifier, context, next) {
  if (specifier.startsWith(".") && specifier.endsWith(".js") && context.parentURL?.endsWith(".ts")) {
    const source = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
    if (existsSync(source)) return { url: source.href, shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, "utf8"), { ...OPTIONS, filename });
  return { format: "module", source: code, shortCircuit: true };
}
