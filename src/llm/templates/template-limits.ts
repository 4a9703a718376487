import { LimitError } from "../../diagnostics/errors.js";

/** Bounds on one rendering of a template. Exceeding one is a `LimitError` that names it. */
export const TEMPLATE_LIMITS = {
  /** Loop passes and filter calls. */
  template_steps: 1_000_000,
  /** Characters of the output, and of any text in between. */
  template_output: 8_388_608,
  /** Items of a list that an expression makes. */
  template_items: 100_000,
} as const;

/**
 * Checks an amount before the work that makes it.
 *
 * @throws LimitError when it exceeds the limit
 */
export function checkTemplateLimit(limit: keyof typeof TEMPLATE_LIMITS, amount: number): void {
  const maximum = TEMPLATE_LIMITS[limit];
  if (amount > maximum) throw new LimitError(`template exceeds ${maximum} of \`${limit}\``, { limit, maximum });
}
