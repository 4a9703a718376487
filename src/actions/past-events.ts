/**
 * Key under which an action's context has a function for the events before its rail. `events` has those of the rail as well, which
 * cost more to make than the whole rail. INVARIANT: a symbol that the package does not export.
 */
export const PAST_EVENTS: unique symbol = Symbol("guardrails.past");
