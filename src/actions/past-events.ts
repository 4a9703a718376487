/**
 * Key of a function in an action's context that returns the events before its rail. `events` also has those of the
 * rail, which cost more to create than the whole rail. INVARIANT: a symbol that the package does not export.
 */
export const PAST_EVENTS: unique symbol = Symbol("guardrails.past");
