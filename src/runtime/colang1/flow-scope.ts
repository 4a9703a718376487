import { flowEffects } from "../../colang1/flow-effects.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { LIBRARY_SOURCES } from "../../library/assets.js";
import { findLibraryFlow } from "../../library/manifest.js";
import { REWRITTEN } from "../../rails/rail-decision.js";
import type { RailScope } from "../../rails/rail-dialect.js";
import type { RuntimeServices } from "./services.js";

const LIBRARY_FILES: ReadonlySet<string> = new Set(LIBRARY_SOURCES.map(({ name }) => name));
/** Flows never change once a runtime is made. */
const known = new WeakMap<RuntimeServices, Map<string, RailScope>>();
const SCOPES: ReadonlySet<string> = new Set<RailScope>(["window", "word", "line", "answer"]);

/**
 * The scope of a listed output rail: what its flow says of itself (`meta {"stream": "word"}`), what the library says of
 * its own, and for all others what their flow does. INVARIANT: a rail that may rewrite the answer, or that speaks beside
 * it, and says nothing else of itself, sees it as a whole.
 */
export function scopeOfRail(services: RuntimeServices, reference: string): RailScope {
  let scopes = known.get(services);
  if (scopes === undefined) known.set(services, (scopes = new Map()));
  let scope = scopes.get(reference);
  if (scope === undefined) scopes.set(reference, (scope = findScope(services, reference)));
  return scope;
}

function findScope(services: RuntimeServices, reference: string): RailScope {
  const { id } = parseFlowReference(reference);
  const flow = services.flows.get(id);
  if (flow === undefined) return "answer";
  if (flow.stream !== undefined) return isScope(flow.stream) ? flow.stream : "answer";
  const listed = LIBRARY_FILES.has(flow.location.file) ? findLibraryFlow(id) : undefined;
  if (listed !== undefined) return listed.flow.stream ?? "window";
  const { isKnown, writes } = flowEffects(services.program, id, flow.parameters);
  return flow.continues || !isKnown || writes.has(REWRITTEN.output) ? "answer" : "window";
}

/** Whether the rail certainly writes another answer, and does not only judge it. */
export function rewritesAnswer(services: RuntimeServices, reference: string): boolean {
  const { id } = parseFlowReference(reference);
  const flow = services.flows.get(id);
  if (flow === undefined) return false;
  const scope = scopeOfRail(services, reference);
  if (scope === "word" || scope === "line") return true;
  const { isKnown, writes } = flowEffects(services.program, id, flow.parameters);
  return isKnown && writes.has(REWRITTEN.output);
}

function isScope(name: string): name is RailScope {
  return SCOPES.has(name);
}
