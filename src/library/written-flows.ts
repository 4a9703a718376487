import { createSourceFile, type SourceFile } from "../diagnostics/source-file.js";
import { writeFlows1, writeFlows2 } from "./rail-flows.js";
import type { RailManifest } from "./rail-manifest.js";

/**
 * Returns true for a rail whose flows are generated from its manifest when a configuration needs them. Flows in files of a folder
 * are parsed when the package is built.
 */
export function isWrittenLate({ flows }: Pick<RailManifest, "flows">): boolean {
  return flows.every(({ runs }) => runs !== undefined);
}

/** Returns the name of the file with the flows of a rail in Colang 1.0. */
export function fileName1({ name }: Pick<RailManifest, "name">): string {
  return `library/${name}/flows.v1.co`;
}

/** Returns the name of the module with the flows of a rail in Colang 2.x. */
export function moduleName2({ name }: Pick<RailManifest, "name">): string {
  return `library/${name.replaceAll("-", "_")}`;
}

/** Returns a function that creates a file once for each rail, so that it is parsed once. */
function sourceOf(make: (rail: RailManifest) => SourceFile): (rail: RailManifest) => SourceFile {
  const known = new WeakMap<RailManifest, SourceFile>();
  return (rail) => {
    const source = known.get(rail) ?? make(rail);
    known.set(rail, source);
    return source;
  };
}

/** Returns the flows of a rail in Colang 1.0. */
export const writtenFile1 = sourceOf((rail) => createSourceFile(fileName1(rail), writeFlows1(rail.flows)));

/** Returns the flows of a rail in Colang 2.x. */
export const writtenModule2 = sourceOf((rail) => createSourceFile(moduleName2(rail), writeFlows2(rail.flows)));
