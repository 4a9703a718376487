// Builds the package: src/ → build/ with tsc, a file for each module; build/ → dist/, the entries of package.json with what they
// share bundled in a few files, since each separate file costs an import of the package half a millisecond; and
// the JSON Schema for editors.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, posix, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import { compact } from "./compact.mjs";
import { reachableDeclarations } from "./declarations.mjs";
import { compileWithFiles } from "./first-answers/hints.mjs";

for (const folder of ["build", "dist"]) rmSync(folder, { recursive: true, force: true });
const assets = spawnSync(process.execPath, ["scripts/embed-assets.mjs"], { stdio: "inherit" });
if (assets.status !== 0) process.exit(assets.status ?? 1);
const run = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
if (run.status !== 0) process.exit(run.status ?? 1);

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const entries = Object.values(manifest.exports).flatMap((entry) => entry.default ?? []);
const programs = Object.values(manifest.bin).map((path) => `./${path}`);
const input = Object.fromEntries(
  [...entries, ...programs].map((path) => {
    return [path.slice("./dist/".length, -".js".length), inBuild(path)];
  }),
);
// Parts of the package that load together, each in one file: a file costs an import up to a millisecond, whatever its
// size. Everything else loads later, in separate files.
const DIALECTS = ["runtime/create/create-colang1-runtime.js", "runtime/create/create-colang2-runtime.js"];
const PHASES = [
  // Only this folder imports LangChain, so parts that need only the base are linked without walking LangChain's
  // modules.
  { phase: "base", roots: ["index.js"], without: ["index.js", "langchain/"] },
  { phase: "main", roots: ["index.js"] },
  // A configuration has one of the dialects, so it loads what they share.
  { phase: "dialects", roots: [], sharedBy: DIALECTS },
  { phase: "colang1", roots: DIALECTS.slice(0, 1) },
  {
    phase: "streaming",
    roots: [
      "langchain/streaming/streaming-turn.js",
      "langchain/streaming/stream-output.js",
      "langchain/streaming/value-format.js",
    ],
  },
];

const OUTPUT = {
  dir: "dist",
  format: "esm",
  // Names are kept, because errors and LangChain's serialized objects are identified by them.
  keepNames: true,
  chunkFileNames: "shared/[name]-[hash].js",
  // A file with one character above Latin-1 takes twice the memory, and comments are read each time.
  charset: "ascii",
  comments: { legal: true, annotation: true, jsdoc: false },
  // Parameters and variables of functions get short names, a sixth less to read and compile. Names of functions and classes
  // stay, so that stack traces and profiles can be read.
  minify: { compress: false, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: false } },
};

// A module that is imported later, but lies in a file with others, would get a file that only exports it. Node walks all modules
// of a graph for each file that it imports, LangChain's included, so imports name the file with the code.
const DIRECT_IMPORTS = {
  name: "direct-imports",
  generateBundle(_options, files) {
    const chunks = Object.values(files).filter(({ type }) => type === "chunk");
    const exporters = new Map(chunks.flatMap((chunk) => exporterOf(chunk) ?? []));
    for (const name of exporters.keys()) delete files[name];
    for (const chunk of chunks) {
      const folder = posix.dirname(chunk.fileName);
      chunk.code = chunk.code.replaceAll(/\bimport\("(\.[^"]+)"\)/g, (whole, path) => {
        const exporter = exporters.get(posix.join(folder, path));
        if (exporter === undefined) return whole;
        const target = posix.relative(folder, exporter.target);
        const names = exporter.names.map(([local, exported]) => `${exported}: module.${local}`);
        return `import("${target.startsWith(".") ? target : `./${target}`}").then((module) => ({ ${names.join(", ")} }))`;
      });
    }
  },
};

// The bundler writes the helper that keeps names into a separate file of two lines, which costs as much to load as any
// other.
const INLINE_RUNTIME = {
  name: "inline-runtime",
  generateBundle(_options, files) {
    const chunks = Object.values(files).filter(({ type }) => type === "chunk");
    const runtime = chunks.find(({ name }) => name === "rolldown-runtime");
    if (runtime === undefined) return;
    const [code, exported] = runtime.code.split(/^export (?=\{)/m);
    if (exported.trim() !== "{ __name as t };") throw new Error(`unknown helpers of the bundler: ${exported}`);
    const path = posix.basename(runtime.fileName).replaceAll(".", "\\.");
    const use = new RegExp(`^import \\{ t as __name \\} from "[./]+(?:shared/)?${path}";\n`, "m");
    for (const chunk of chunks) {
      const [statement] = use.exec(chunk.code) ?? [];
      if (statement === undefined) continue;
      // Imports stay the first statements, after the line that names the interpreter.
      const rest = chunk.code.replace(statement, "");
      const imports = /^(?:#![^\n]*\n|import [^\n]*;\n|\/\/[^\n]*\n)*/.exec(rest)[0];
      chunk.code = `${imports}${code}${rest.slice(imports.length)}`;
    }
    delete files[runtime.fileName];
  },
};

await bundle(input, { codeSplitting: { groups: PHASES.map(groupOf) } });
// Worker threads: each is a file without imports, next to the shared files that start it.
await bundle({ "shared/build-worker": resolve("build/retrieval/matcher/build-worker.js") }, { codeSplitting: false });
const written = readdirSync("dist", { recursive: true }).filter((path) => path.endsWith(".js"));
for (const path of written) compact(resolve("dist", path));
compileWithFiles(resolve("dist/shared"));
for (const path of written) checkLetters(resolve("dist", path));
for (const [path, text] of reachableDeclarations(entries.map((entry) => inBuild(entry).replace(/js$/, "d.ts")))) {
  const file = resolve("dist", relative(resolve("build"), path));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const { configJsonSchema } = await import("../build/config/schema/json-schema.js");
writeFileSync("dist/config.schema.json", `${JSON.stringify(configJsonSchema())}\n`);

/** V8 keeps a file with a single letter beyond ASCII in twice the memory. */
function checkLetters(path) {
  if (/[^\0-\x7f]/.test(readFileSync(path, "utf8"))) throw new Error(`${path}: expected only letters of ASCII`);
}

/** Path of the module from which a file of the package is made. */
function inBuild(path) {
  return resolve("build", path.slice("./dist/".length));
}

async function bundle(input, options) {
  // Dependencies stay imports, so that their classes are those that applications have.
  const external = (id) => !/^[./]|^[A-Za-z]:\\/.test(id);
  const bundled = await rolldown({
    input,
    platform: "node",
    external,
    plugins: [DIRECT_IMPORTS, INLINE_RUNTIME],
    // The path of each module as a comment takes a hundredth of the package.
    experimental: { attachDebugInfo: "none" },
  });
  await bundled.write({ ...OUTPUT, ...options });
  await bundled.close();
}

/** For a file that only re-exports names of another file: both file names, and the names in both. */
function exporterOf({ fileName, isEntry, isDynamicEntry, code }) {
  const match = /^import \{ ([^}]*) \} from "([^"]+)";\s*export \{ ([^}]*) \};\s*$/.exec(code);
  if (!isDynamicEntry || isEntry || match === null) return undefined;
  const [, imported, path, exported] = match;
  const locals = new Map(namePairs(imported).map(([local, name]) => [name, local]));
  const names = namePairs(exported).map(([local, name]) => [locals.get(local), name]);
  return [[fileName, { target: posix.join(posix.dirname(fileName), path), names }]];
}

function namePairs(list) {
  return list
    .split(", ")
    .map((part) => part.split(" as "))
    .map(([local, name = local]) => [local, name]);
}

/**
 * All static imports of the roots of a phase, or of each of the parts that share it, without those of earlier phases.
 */
function groupOf({ phase, roots, without = [], sharedBy }, index) {
  let all;
  let shared;
  const name = (id, context) => {
    all ??= roots.map((root) => staticImports(root, context));
    shared ??= sharedBy?.map((root) => staticImports(root, context)) ?? [new Set()];
    if (without.some((path) => moduleName(id).startsWith(path))) return null;
    return all.some((set) => set.has(id)) || shared.every((set) => set.has(id)) ? phase : null;
  };
  return { name, debugName: phase, priority: PHASES.length - index };
}

/** Path of a module below `build/`. */
function moduleName(id) {
  return relative(resolve("build"), id).replaceAll("\\", "/");
}

function staticImports(root, context) {
  const found = new Set([resolve("build", root)]);
  for (const id of found) {
    const info = context.getModuleInfo(id);
    if (info === null) throw new Error(`the bundle has no module ${id}`);
    for (const imported of info.importedIds) if (imported.startsWith(resolve("build"))) found.add(imported);
  }
  return found;
}
