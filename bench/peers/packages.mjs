// Packages of other guards, installed on first use in a folder outside the project.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const MANIFEST = fileURLToPath(new URL("package.json", import.meta.url));

/** The folder of the installed packages: `BENCH_PEERS`, or one below the temporary folder. */
export const PEERS_FOLDER = process.env.BENCH_PEERS ?? join(tmpdir(), "langchain-guardrails-peers");

/** Installs what `package.json` of this folder names, unless it is there. */
export function installPeers() {
  const { dependencies } = JSON.parse(readFileSync(MANIFEST, "utf8"));
  if (Object.keys(dependencies).every((name) => existsSync(join(PEERS_FOLDER, "node_modules", name)))) return;
  mkdirSync(PEERS_FOLDER, { recursive: true });
  copyFileSync(MANIFEST, join(PEERS_FOLDER, "package.json"));
  const args = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", args, { cwd: PEERS_FOLDER, stdio: ["ignore", "inherit", "inherit"] });
}

/** A module of an installed package. */
export function importPeer(name) {
  const require = createRequire(join(PEERS_FOLDER, "package.json"));
  return import(pathToFileURL(require.resolve(name)).href);
}
