import { Hasher } from "../engine/hasher.js";
import type { CompiledFlow } from "./program.js";

/** Places move when lines are added above; they are no part of what a flow means. */
const PLACES_OF_FLOWS: ReadonlySet<string> = new Set([
  "location",
  "sourceText",
  "places",
  "elements",
  "module",
  "comment",
]);
const PLACES_OF_ELEMENTS: ReadonlySet<string> = new Set(["place"]);

/** The hash of a flow's instructions and flags, the same wherever the flow stands. */
export function hashFlow(flow: Omit<CompiledFlow, "hash">): string {
  const hasher = new Hasher();
  hasher.addValue(flow, PLACES_OF_FLOWS);
  for (const element of flow.elements) hasher.addValue(element, PLACES_OF_ELEMENTS);
  return hasher.toString();
}

/** The hash of a program: of its flows in order. */
export function hashProgram(flows: readonly CompiledFlow[]): string {
  const hasher = new Hasher();
  for (const flow of flows) hasher.addText(flow.hash);
  return hasher.toString();
}
