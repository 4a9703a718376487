import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The folder of this working copy. */
export const HERE = fileURLToPath(new URL("../..", import.meta.url));

/** A build of the package below a folder; its modules load when a row asks for them. */
export function libraryAt(root = HERE) {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const load = (path) => import(pathToFileURL(join(root, path)).href);
  return {
    root,
    /** A public entry, such as `./threads`, from the bundled package. */
    entry(path = ".") {
      if (exports[path] === undefined) throw new Error(`the package has no entry ${path}`);
      return load(exports[path].default);
    },
    /** A module that the package does not export, from `build/`. */
    internal: (path) => load(join("build", path)),
  };
}
