/**
 * Global variables by which the standard library and the host steer the rails. INVARIANT: nothing that comes from outside
 * sets them, neither as context nor as an event, for that would turn the rails off.
 */
export const RAIL_VARIABLES: ReadonlySet<string> = new Set([
  "input_rails_key",
  "input_rails_asker",
  "input_rails_verdict",
  "input_rails_off",
  "output_rails_off",
]);
