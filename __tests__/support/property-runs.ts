/** How many times as often properties run as in the suite; `npm run fuzz` sets it. */
const SCALE = Number(process.env["LANGCHAIN_GUARDRAILS_PROPERTY_SCALE"] ?? 1);

/** Runs of a property: `count` in the suite, where they are a smoke test, and many more in `npm run fuzz`. */
export function propertyRuns(count: number): number {
  return Math.ceil(count * SCALE);
}
