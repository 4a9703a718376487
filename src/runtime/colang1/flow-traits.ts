import type { ActionRegistry } from "../../actions/registry.js";
import type { Colang1Program, CompiledFlow } from "../../colang1/elements.js";
import { flowEffects } from "../../colang1/flow-effects.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import type { RailTraits } from "../../rails/plan.js";
import { railTraits } from "../rail-facts.js";

/** Returns the traits of a rail in Colang 1.0, by its reference. */
export function colang1Traits(program: Colang1Program, registry: ActionRegistry): (rail: string) => RailTraits {
  // Only flows of the system run while rails do.
  const awaited = awaitedEvents(program.flows.filter(({ tier }) => tier === "system"));
  return (reference) => {
    const { id, parameters } = parseFlowReference(reference);
    const flow = program.flows.find((each) => each.id === id);
    const given = [...(flow?.parameters ?? []), ...parameters.map(({ name }) => name)];
    const { reads, writes, isKnown, actions, creates, speaks } = flowEffects(program, id, given);
    const event = [...creates].find((type) => awaited.has(type));
    const effect =
      event !== undefined
        ? `a flow waits for the event \`${event}\` that it creates`
        : speaks && flow?.continues === true
          ? "it speaks and goes on"
          : undefined;
    return railTraits(registry, { reads, writes, isKnown, actions: [...actions], effect });
  };
}

/** Returns the types of the events that some of the flows wait for. */
export function awaitedEvents(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  const elements = flows.flatMap((flow) => flow.elements);
  const matchers = elements.flatMap((element) => (element.kind === "Match" ? element.matchers : []));
  return new Set(matchers.flatMap((matcher) => (matcher.kind === "Event" ? [matcher.type] : [])));
}
