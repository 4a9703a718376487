// npm run compat [-- --only lowest|newest] [-- --node 20|22|24] [-- --all]: installs the lowest and the newest supported
// versions of LangChain, LangGraph, OpenAI's integration and zod in copies of this project, checks the types, and runs the tests of
// the LangChain surface and of the package on Node 20, 22 and 24. `--all` runs the whole suite instead. With the newest set, the
// packed package and README's test of rails also run in an empty project with vitest.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: { only: { type: "string" }, node: { type: "string" }, all: { type: "boolean", default: false } },
});

/** Versions of a set; the lowest are the lower ends of the ranges in package.json. */
const SETS = {
  lowest: {
    "@langchain/core": "1.2.8",
    "@langchain/langgraph": "1.4.13",
    "@langchain/openai": "1.5.8",
    "@langchain/classic": "1.0.43",
    langchain: "1.5.14",
    zod: "3.25.76",
  },
  newest: {
    "@langchain/core": "^1",
    "@langchain/langgraph": "^1",
    "@langchain/openai": "^1",
    "@langchain/classic": "^1",
    langchain: "^1",
    zod: "^4",
  },
};
const NODES = { 20: "20.19.4", 22: "^22", 24: "^24" };
const TESTS = values.all ? [] : ["__tests__/langchain", "__tests__/system/package.test.ts"];
const QUIET = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"];

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  return { ok: status === 0, output: `${stdout ?? ""}${stderr ?? ""}` };
}

function must(command, args, cwd) {
  const { ok, output } = run(command, args, cwd);
  if (!ok) throw new Error(`${command} ${args.join(" ")} failed\n${output}`);
}

/** A copy of the project with the versions of a set installed. */
function installSet(folder, versions) {
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  for (const file of stdout.trim().split("\n")) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  const path = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  for (const [name, version] of Object.entries(versions)) {
    for (const list of ["dependencies", "devDependencies"]) {
      if (name in (manifest[list] ?? {})) manifest[list][name] = version;
    }
  }
  // One copy of each, even if a package of the set requires a newer one.
  manifest.overrides = {
    ...manifest.overrides,
    ...Object.fromEntries(Object.keys(versions).map((name) => [name, `$${name}`])),
  };
  writeFileSync(path, JSON.stringify(manifest, undefined, 2));
  rmSync(join(folder, "package-lock.json"), { force: true });
  must("npm", ["install", ...QUIET], folder);
  must(process.execPath, ["scripts/embed-assets.mjs"], folder);
}

/** Path of a Node binary, from the platform's package behind the npm package \`node\`. */
function installNode(folder, version) {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "nodes", private: true }));
  must("npm", ["install", ...QUIET, `${name}@${version}`], folder);
  return join(folder, "node_modules", name, "bin", "node");
}

/** README's test of rails under vitest, in an empty project with the packed package of `folder` installed. */
function runVitest(folder, project, node) {
  must("npm", ["run", "--silent", "build"], folder);
  mkdirSync(project);
  const packed = run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", project], folder);
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const test = /```ts\n(import \{ expect, it \} from "@jest\/globals";\n[^]*?)```/.exec(readme)?.[1];
  if (!packed.ok || test === undefined) throw new Error(`No package or no test block in README.md\n${packed.output}`);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  writeFileSync(join(project, "rails.test.ts"), test.replace("@jest/globals", "vitest"));
  must("npm", ["install", ...QUIET, `./${packed.output.trim()}`, "@langchain/core", "vitest"], project);
  return run(node, ["node_modules/vitest/vitest.mjs", "run"], project);
}

const work = mkdtempSync(join(tmpdir(), "compat-"));
let failed = 0;
function report(title, { ok, output }) {
  const summary = /^ *Tests:? .*$/m.exec(output)?.[0] ?? "";
  console.log(`${ok ? "ok    " : "FAILED"} ${title} ${summary}`);
  if (ok) return;
  failed += 1;
  console.log(output.split("\n").slice(-200).join("\n"));
}
try {
  const nodes = Object.entries(NODES)
    .filter(([major]) => values.node === undefined || values.node === major)
    .map(([major, version]) => [major, installNode(join(work, `node-${major}`), version)]);
  for (const [name, versions] of Object.entries(SETS)) {
    if (values.only !== undefined && values.only !== name) continue;
    const folder = join(work, name);
    console.log(`${name}: installing …`);
    installSet(folder, versions);
    report(`${name}, types`, run(process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit"], folder));
    for (const [major, node] of nodes) {
      const jest = ["node_modules/jest/bin/jest.js", "--silent"];
      report(`${name}, Node ${major}`, run(node, [...jest, ...TESTS], folder));
    }
    if (name === "newest") report("vitest", runVitest(folder, join(work, "vitest"), nodes.at(-1)[1]));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;
