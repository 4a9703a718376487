import { flushTraces, formatInteraction, type Interaction, type TraceSink } from "langchain-guardrails/tracing";

/** A sink that keeps all received calls. */
export function collectingSink(): TraceSink & { readonly interactions: Interaction[] } {
  const interactions: Interaction[] = [];
  return { name: "collecting", interactions, write: (interaction) => void interactions.push(interaction) };
}

/** The trees of all calls so far, without their times. */
export async function treesOf({ interactions }: { readonly interactions: readonly Interaction[] }): Promise<string[]> {
  await flushTraces();
  return interactions.map((interaction) => formatInteraction(interaction).replaceAll(/ \d+\.\d ms/g, ""));
}
