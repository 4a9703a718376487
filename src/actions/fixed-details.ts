import type { VerdictDetails } from "./action.js";

/** Fixed details by their metadata, which decisions share unchanged. */
const known = new WeakMap<object, VerdictDetails>();

/**
 * Registers constant details written by this package, so that decisions need not be searched for quotes. Decisions of
 * many calls share them, so they are frozen.
 *
 * INVARIANT: nothing in them comes from a conversation or a model.
 */
export function fixDetails<Details extends VerdictDetails & Required<Pick<VerdictDetails, "metadata">>>(
  details: Details,
): Details {
  Object.freeze(details.metadata);
  known.set(details.metadata, details);
  return Object.freeze(details);
}

/** Constant reasons written by this package. */
const reasons = new Set<string>();

/** Registers a constant reason for details without other texts, and returns it. */
export function fixReason(reason: string): string {
  reasons.add(reason);
  return reason;
}

/** Returns true for details that were registered. */
export function isFixed(details: VerdictDetails): boolean {
  return details.metadata !== undefined && known.get(details.metadata) === details;
}

/** Returns true for details that cannot quote a conversation: without texts, or with a fixed reason or those of fixed details and no others. */
export function cannotQuote({ reason, categories, metadata }: VerdictDetails): boolean {
  if (metadata === undefined) return categories === undefined && (reason === undefined || reasons.has(reason));
  const details = known.get(metadata);
  return details !== undefined && details.reason === reason && details.categories === categories;
}
