import type { Statement } from "./ast.js";
import type { Tier } from "./elements.js";
import type { MergedFlow } from "./merge-definitions.js";

/** Ids of the flows that statements call by name. */
export function calledFlows(statements: readonly Statement[]): Set<string> {
  const called = new Set<string>();
  for (const statement of statements) {
    if (statement.kind === "Call" && statement.flow) called.add(statement.flow.text);
  }
  return called;
}

/** The flows that can be reached by calls, the given ones included. */
export function reachable(from: Iterable<string>, calls: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(calls.get(id) ?? []));
  }
  return found;
}

/**
 * System flows: default and library flows and what replaces them, rails, and what only those call. A flow that a user
 * flow calls as well is a user flow, and so is everything it calls in turn.
 */
export function assignTiers(
  flows: readonly MergedFlow[],
  rails: ReadonlySet<string>,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, Tier> {
  const roots = new Set(flows.filter((flow) => isSystemRoot(flow, rails)).map((flow) => flow.id));
  const behindRoots = reachable(roots, calls);
  const users = flows.filter((flow) => !behindRoots.has(flow.id)).map((flow) => flow.id);
  const callsOfUsers = new Map([...calls].map(([id, called]) => [id, roots.has(id) ? new Set<string>() : called]));
  const behindUsers = reachable(users, callsOfUsers);
  return new Map(flows.map(({ id }) => [id, roots.has(id) || !behindUsers.has(id) ? "system" : "user"]));
}

function isSystemRoot(flow: MergedFlow, rails: ReadonlySet<string>): boolean {
  return flow.origin === "default" || flow.origin === "library" || flow.replacesDefault || rails.has(flow.id);
}
