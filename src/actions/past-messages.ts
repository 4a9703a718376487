/**
 * Key under which an action's context has a function for the messages before its rail, as events. `events` has all events, those of
 * the rail as well, which cost more to make than the whole rail. INVARIANT: a symbol that the package does not export.
 */
export const PAST_MESSAGES: unique symbol = Symbol("guardrails.past-messages");
