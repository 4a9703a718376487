import type { LibraryFlow, LibraryRail } from "./library-rail.js";
import { selfCheckFacts } from "./self-check-facts/rail.js";
import { selfCheckHallucination } from "./self-check-hallucination/rail.js";
import { selfCheckInput } from "./self-check-input/rail.js";
import { selfCheckOutput } from "./self-check-output/rail.js";
import { toolPatterns } from "./tool-patterns/rail.js";
import { toolSafety } from "./tool-safety/rail.js";
import { toolValidation } from "./tool-validation/rail.js";

/** Every rail that can be named in a configuration without being defined in it. */
export const LIBRARY_RAILS: readonly LibraryRail[] = [
  selfCheckInput,
  selfCheckOutput,
  selfCheckFacts,
  selfCheckHallucination,
  toolValidation,
  toolPatterns,
  toolSafety,
];

/**
 * Finds the rail of a flow name.
 *
 * @example
 * ```ts
 * findLibraryFlow("self check input")?.rail.needs.tasks; // ["self_check_input"]
 * ```
 */
export function findLibraryFlow(name: string): { readonly rail: LibraryRail; readonly flow: LibraryFlow } | undefined {
  for (const rail of LIBRARY_RAILS) {
    const flow = rail.flows.find((each) => each.name === name);
    if (flow) return { rail, flow };
  }
  return undefined;
}
