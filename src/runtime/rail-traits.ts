import type { ActionRegistry } from "../actions/registry.js";
import type { Colang1Program } from "../colang1/elements.js";
import { flowEffects } from "../colang1/flow-effects.js";
import { parseFlowReference } from "../colang1/flow-reference.js";
import { findLibraryFlow } from "../library/manifest.js";

/** What is known of a listed rail before it runs. */
export interface RailTraits {
  /** It may change the text, or do something beyond judging it: such rails run first, one after the other. */
  readonly rewrites: boolean;
  /** Its flow assigns the text, or may do so for all that can be told; unset where nobody asks. */
  readonly rewritesText?: boolean;
  /** Why, in the words of a message to the user; of rails that only judge undefined. */
  readonly because?: string;
  /** Whether all that it may do can be told from its flow. */
  readonly isKnown: boolean;
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/** What a stage hands on. */
export const HANDED_ON = ["user_message", "bot_message", "relevant_chunks", "tool_args", "tool_message"] as const;

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
  const text = HANDED_ON.find((name) => writes.has(name));
  const action = [...effects.actions].find((name) => !isVerdict(registry, name));
  const event = [...effects.creates].find((type) => awaited.has(type));
  const because =
    findLibraryFlow(id)?.rail.rewrites === true
      ? "it may rewrite the text"
      : !effects.isKnown
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
  return { rewrites: because !== undefined, isKnown, reads, writes, ...(because === undefined ? {} : { because }) };
}

function isVerdict(registry: ActionRegistry, name: string): boolean {
  const resolution = registry.resolve(name);
  return resolution.found && resolution.definition.verdict;
}
