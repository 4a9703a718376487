import { existsSync, readFileSync } from "node:fs";

import transform from "./transform.cjs";

const ROOT = new URL("../../../", import.meta.url);
const { name, exports } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));

/** The modules that tests import by a name: Jest's globals, and the package's entries from their sources. */
const named = new Map([
  ["@jest/globals", new URL("globals.mjs", import.meta.url).href],
  ...Object.entries(exports).flatMap(([path, { types }]) =>
    types === undefined
      ? []
      : [[name + path.slice(1), new URL(types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts"), ROOT).href]],
  ),
]);

/** Finds the TypeScript module that an import of a `.js` file means. */
export async function resolve(specifier, context, next) {
  const url = named.get(specifier) ?? typescriptOf(specifier, context.parentURL);
  return url === undefined ? await next(specifier, context) : { url, shortCircuit: true };
}

function typescriptOf(specifier, parentURL) {
  if (!/^\.{1,2}\/.*\.js$/.test(specifier) || !parentURL?.endsWith(".ts")) return undefined;
  const url = new URL(specifier.replace(/\.js$/, ".ts"), parentURL);
  return existsSync(url) ? url.href : undefined;
}

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return await next(url, context);
  const { code } = transform(url, readFileSync(new URL(url), "utf8"));
  return { format: "module", source: code, shortCircuit: true };
}
