/** Factor of the runs of properties to those of the suite; `npm run fuzz` sets it. */
const SCALE = Number(process.env["LANGCHAIN_GUARDRAILS_PROPERTY_SCALE"] ?? 1);

/**
 * Runs of a property: `count` in the suite, where they are a smoke test, and many more in `npm run fuzz`.
 *
 * @param inFuzz - runs in `npm run fuzz`; default: the scale of all properties
 */
export function propertyRuns(count: number, inFuzz = Math.ceil(count * SCALE)): number {
  return SCALE > 1 ? inFuzz : count;
}

/** The seed of the suite, for repeatable properties; none in `npm run fuzz`. */
export const SUITE_SEED: { readonly seed?: number } = SCALE > 1 ? {} : { seed: 20_261_123 };
