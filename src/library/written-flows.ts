import { createSourceFile, type SourceFile } from "../diagnostics/source-file.js";
import { writeFlows1, writeFlows2 } from "./rail-flows.js";
import type { RailManifest } from "./rail-manifest.js";

/**
 * Returns true for a rail whose flows are written from its manifest when a configuration needs them. Flows that a folder has
 * in files of its own are a part of the package, parsed.
 */
export function isWrittenLate({ flows }: Pick<RailManifest, "flows">): boolean {
  return flows.every(({ runs }) => runs !== undefined);
}

/** Name of the file with the flows of a rail in Colang 1.0. */
export function fileName1({ name }: Pick<RailManifest, "name">): string {
  return `library/${name}/flows.v1.co`;
}

/** Name of the module with the flows of a rail in Colang 2.x. */
export function moduleName2({ name }: Pick<RailManifest, "name">): string {
  return `library/${name.replaceAll("-", "_")}`;
}

/** Makes a file once for each rail, so that it is parsed once. */
function sourceOf(make: (rail: RailManifest) => SourceFile): (rail: RailManifest) => SourceFile {
  const known = new WeakMap<RailManifest, SourceFile>();
  return (rail) => {
    const source = known.get(rail) ?? make(rail);
    known.set(rail, source);
    return source;
  };
}

/** The flows of a rail in Colang 1.0. */
export const writtenFile1 = sourceOf((rail) => createSourceFile(fileName1(rail), writeFlows1(rail.flows)));

/** The flows of a rail in Colang 2.x. */
export const writtenModule2 = sourceOf((rail) => createSourceFile(moduleName2(rail), writeFlows2(rail.flows)));
