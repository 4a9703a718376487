import { isActionName } from "./event-names.js";

export type CalleeKind = "flow" | "action" | "event";

const UPPER = /^\p{Lu}/u;

/**
 * Classifies a name, given the names of all flows of the program.
 *
 * @example
 * ```ts
 * classifyName("LampAction", new Set()); // "action"
 * classifyName("Greet VIP", new Set()); // "flow"
 * classifyName("StartLampAction", new Set()); // "event"
 * ```
 */
export function classifyName(name: string, flows: { has(name: string): boolean }): CalleeKind {
  if (flows.has(name) || name.includes(" ") || !UPPER.test(name)) return "flow";
  return isActionName(name) ? "action" : "event";
}
