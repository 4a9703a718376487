// The package as it is published, in an empty project: `package.json` over the sources without their types.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { transformSync } from "@swc/core";

const ROOT = process.cwd();
const CACHE = join(ROOT, ".cache");

/**
 * A new project with the package installed. It lies inside this one, so that the dependencies are found; it has a name, or
 * the package's own name would lead back to this project. The caller removes it.
 */
export function createProject(name: string): string {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, `${name}-`));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  installPackage(folder);
  return folder;
}

/** Compiles one TypeScript text, without type checks. */
export function stripTypes(text: string): string {
  return transformSync(text, {
    jsc: { parser: { syntax: "typescript" }, target: "es2022" },
    module: { type: "es6" },
  }).code;
}

function installPackage(into: string): void {
  const target = join(into, "node_modules", "langchain-guardrails");
  mkdirSync(target, { recursive: true });
  cpSync(join(ROOT, "package.json"), join(target, "package.json"));
  const source = join(ROOT, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  for (const file of files) {
    const path = join(target, "dist", relative(source, join(source, file)).replace(/\.ts$/, ".js"));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, stripTypes(readFileSync(join(source, file), "utf8")));
  }
}
