import { createSourceFile, type SourceFile } from "../../diagnostics/source-file.js";
import type { ModuleInput } from "../merge-flows.js";
import { openModule } from "./packed-module.js";

/** A place where imports are looked up: the configuration, a directory of `COLANGPATH`, the modules of the package. */
export interface ImportPlace {
  /** For messages: `the configuration`, `/usr/share/colang`. */
  readonly name: string;
  /**
   * All modules below the directory of this path, or the one file with `.co` appended; undefined if there is neither. They may
   * be parsed already.
   */
  find(path: string): readonly (SourceFile | ModuleInput)[] | undefined;
  /** Paths of modules, for near names. */
  names?(): Iterable<string>;
  /** The hint for a path that cannot be there. */
  hintFor?(path: string): string | undefined;
}

/**
 * A place made of files that are known already, named by their paths with slashes.
 *
 * @example
 * ```ts
 * placeOfFiles("the configuration", [createSourceFile("shop/checkout.co", text)]).find("shop")?.length; // 1
 * ```
 */
export function placeOfFiles(name: string, files: readonly SourceFile[]): ImportPlace {
  return {
    name,
    find: (path) => {
      const below = files.filter((file) => file.name.startsWith(`${path}/`) && file.name.endsWith(".co"));
      if (below.length > 0) return below;
      const single = files.find((file) => file.name === `${path}.co`);
      return single ? [single] : undefined;
    },
    names: () => files.map((file) => file.name.replace(/\.co$/, "")),
  };
}

/** A module that comes with the package: its source, and what `npm run assets` made of it. */
export interface ShippedSource {
  readonly text: string;
  readonly packed: string;
}

/**
 * The place of modules that come with the package; their names have no extension, so no file of a program is taken for one.
 * A module is opened when it is first imported, once for all programs.
 */
export function placeOfShipped(name: string, sources: ReadonlyMap<string, ShippedSource>): ImportPlace {
  const opened = new Map<string, ModuleInput>();
  return {
    name,
    find: (path) => {
      const known = opened.get(path);
      if (known !== undefined) return [known];
      const source = sources.get(path);
      if (source === undefined) return undefined;
      const module = openModule(createSourceFile(path, source.text), source.packed);
      opened.set(path, module);
      return [module];
    },
    names: () => sources.keys(),
  };
}
