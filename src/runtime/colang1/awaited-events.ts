import type { CompiledFlow } from "../../colang1/elements.js";

/** The types of the events that some of the flows wait for. */
export function awaitedEvents(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { elements } of flows) {
    for (const element of elements) {
      if (element.kind !== "Match") continue;
      for (const matcher of element.matchers) if (matcher.kind === "Event") types.add(matcher.type);
    }
  }
  return types;
}
