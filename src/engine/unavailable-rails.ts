/** Rails of NeMo Guardrails that this release does not have, by the place where a configuration lists them. */
const UNAVAILABLE_RAILS = {
  input: [
    "activefence moderation",
    "activefence moderation detailed",
    "activefence moderation on input",
    "activefence moderation on input detailed",
    "ai defense inspect prompt",
    "autoalign check input",
    "crowdstrike aidr guard input",
    "f5 guardrails scan input",
    "fiddler user safety",
    "gcpnlp moderation",
    "gcpnlp moderation detailed",
    "gliner detect pii on input",
    "gliner mask pii on input",
    "guardrailsai check input",
    "hf classifier check input",
    "policyai moderation on input",
    "polygraf detect pii on input",
    "polygraf mask pii on input",
    "protect prompt",
    "trend ai guard input",
  ],
  output: [
    "activefence moderation on output",
    "ai defense inspect response",
    "autoalign check output",
    "autoalign factcheck output",
    "autoalign groundedness output",
    "cleanlab trustworthiness",
    "crowdstrike aidr guard output",
    "f5 guardrails scan output",
    "fiddler bot faithfulness",
    "fiddler bot safety",
    "gliner detect pii on output",
    "gliner mask pii on output",
    "gotitai rag truthcheck",
    "guardrailsai check output",
    "hf classifier check output",
    "patronus api check output",
    "policyai moderation on output",
    "polygraf detect pii on output",
    "polygraf mask pii on output",
    "protect response",
    "trend ai guard output",
  ],
  retrieval: [
    "gliner detect pii on retrieval",
    "gliner mask pii on retrieval",
    "hf classifier check retrieval",
    "polygraf detect pii on retrieval",
    "polygraf mask pii on retrieval",
  ],
} as const;

type Place = keyof typeof UNAVAILABLE_RAILS;

const OWN_FLOW = "write it as a flow with an action of your own";

const HINTS: Readonly<Record<Place, string>> = {
  input: `${OWN_FLOW}, or list \`self check input\``,
  output: `${OWN_FLOW}, or list \`self check output\`, \`self check facts\` or \`self check hallucination\``,
  retrieval: OWN_FLOW,
};

const PLACES: ReadonlyMap<string, Place> = new Map(
  (Object.keys(UNAVAILABLE_RAILS) as Place[]).flatMap((place) =>
    UNAVAILABLE_RAILS[place].map((name) => [name, place] as const),
  ),
);

/** Names of all rails that this release does not have. */
export const UNAVAILABLE_RAIL_NAMES: readonly string[] = [...PLACES.keys()];

/**
 * The message and the hint for a rail of NeMo Guardrails that this release does not have; undefined for every other name.
 *
 * @example
 * ```ts
 * describeUnavailableRail("protect prompt")?.message; // "`protect prompt` is a rail of NeMo Guardrails that this release does not have"
 * ```
 */
export function describeUnavailableRail(name: string): { readonly message: string; readonly hint: string } | undefined {
  const place = PLACES.get(name);
  if (place === undefined) return undefined;
  return { message: `\`${name}\` is a rail of NeMo Guardrails that this release does not have`, hint: HINTS[place] };
}
