// Lets node import the TypeScript sources as they are, so that no build is needed.
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { transform } from "@swc/core";

const OPTIONS = { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "es6" } };

export async function resolve(specifier, context, nextResolve) {
  if (specifier.startsWith(".") && specifier.endsWith(".js")) {
    const url = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
    if (existsSync(fileURLToPath(url))) return { url: url.href, format: "module", shortCircuit: true };
  }
  return await nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.endsWith(".ts")) return await nextLoad(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), "utf8"), OPTIONS);
  return { format: "module", source: code, shortCircuit: true };
}
