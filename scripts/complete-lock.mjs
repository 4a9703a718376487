// Adds the optional platform packages that a mirror does not serve to package-lock.json, so that `npm ci` accepts the
// lock on every platform. Run it after `npm install` has rewritten the lock; it changes nothing when nothing is missing.
import { readFileSync, writeFileSync } from "node:fs";

const PLATFORM =
  /(darwin|win32|linux|android|freebsd|openharmony)-(arm64|x64|ia32|arm|ppc64|s390x|riscv64|loong64)(?:-(gnueabihf|musleabihf|gnu|musl|msvc|eabi))?$/;
const LIBC = { gnu: "glibc", musl: "musl" };

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const known = new Set(Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)));
let added = 0;
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const isWasm = name.endsWith("-wasm32-wasi");
    const [, os, cpu = "wasm32", abi] = PLATFORM.exec(name) ?? [];
    if (known.has(name) || (os === undefined && !isWasm)) continue;
    const libc = os === "linux" ? LIBC[abi] : undefined;
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(parent.dev ? { dev: true } : {}),
      ...(libc === undefined ? {} : { libc: [libc] }),
      optional: true,
      ...(os === undefined ? {} : { os: [os] }),
    };
    known.add(name);
    added += 1;
  }
}
const paths = Object.keys(lock.packages).sort();
lock.packages = Object.fromEntries(paths.map((path) => [path, lock.packages[path]]));
if (added > 0) writeFileSync("package-lock.json", `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`${added} optional packages added`);
