import { LIBRARY_RAILS } from "./manifest.js";
import type { RailFlow, RailManifest } from "./rail-manifest.js";

/** Description of a rail in the catalogue. */
export interface CatalogRail extends Pick<
  RailManifest,
  "name" | "title" | "summary" | "settings" | "needs" | "cost" | "leaves" | "actions"
> {
  readonly flows: readonly Pick<RailFlow, "name" | "stage" | "stream" | "rewrites" | "needsEvidence" | "readsImages">[];
}

/** Returns all built-in rails. */
export function railCatalog(): readonly CatalogRail[] {
  return LIBRARY_RAILS.map(({ load: _load, flowsFor: _flowsFor, seesImages: _seesImages, flows, ...facts }) => ({
    ...facts,
    flows: flows.map(({ runs: _runs, ...flow }) => flow),
  }));
}
