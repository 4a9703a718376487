import type { ActionRegistry } from "../../actions/registry.js";
import type { Colang1Program, CompiledFlow } from "../../colang1/elements.js";
import { flowEffects } from "../../colang1/flow-effects.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { PASSED_TEXTS, type RailTraits } from "../../rails/plan.js";
import { readsAllVariables } from "../reads-all.js";

/**
 * Whether a rail only judges (`langchain.md` A4). Whatever cannot be told from its flow counts as more than that.
 *
 * @param awaited - event types that flows wait for which run beside rails
 */
export function railTraits(
  program: Colang1Program,
  registry: ActionRegistry,
  awaited: ReadonlySet<string>,
  reference: string,
): RailTraits {
  const { id, parameters } = parseFlowReference(reference);
  const flow = program.flows.find((each) => each.id === id);
  const given = [...(flow?.parameters ?? []), ...parameters.map(({ name }) => name)];
  const effects = flowEffects(program, id, given);
  const { reads, writes } = effects;
  const text = PASSED_TEXTS.find((name) => writes.has(name));
  const action = [...effects.actions].find((name) => !isVerdict(registry, name));
  const event = [...effects.creates].find((type) => awaited.has(type));
  const because = !effects.isKnown
    ? "what it runs is known only at run time"
    : text !== undefined
      ? `it assigns \`$${text}\``
      : action !== undefined
        ? `its action \`${action}\` is not declared as a verdict`
        : event !== undefined
          ? `a flow waits for the event \`${event}\` that it creates`
          : effects.speaks && flow?.continues === true
            ? "it speaks and goes on"
            : undefined;
  const { isKnown } = effects;
  const readsAll = readsAllVariables(registry, effects.actions);
  const reason = because === undefined ? {} : { because };
  return { rewrites: because !== undefined, isKnown, readsAll, reads, writes, ...reason };
}

function isVerdict(registry: ActionRegistry, name: string): boolean {
  const resolution = registry.resolve(name);
  return resolution.found && resolution.definition.verdict;
}

/** What is known of rails in Colang 1.0. */
export function colang1Traits(program: Colang1Program, registry: ActionRegistry): (rail: string) => RailTraits {
  const awaited = awaitedEvents(program.flows.filter(({ tier }) => tier === "system"));
  return (rail) => railTraits(program, registry, awaited, rail);
}

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
