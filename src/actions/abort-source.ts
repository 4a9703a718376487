/**
 * Key under which an action's context has what `signal` follows, for work that needs no signal of the platform: making one takes
 * longer than many rails. INVARIANT: a symbol that the package does not export.
 */
export const ABORT_SOURCE: unique symbol = Symbol("guardrails.abort-source");
