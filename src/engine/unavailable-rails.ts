/** Rails of NeMo Guardrails that this release does not have, by the place where a configuration lists them. */
const UNAVAILABLE_RAILS = {
  input: [
    "activefence moderation",
    "activefence moderation detailed",
    "activefence moderation on input",
    "activefence moderation on input detailed",
    "autoalign check input",
    "crowdstrike aidr guard input",
    "fiddler user safety",
    "gcpnlp moderation",
    "gcpnlp moderation detailed",
  ],
  output: [
    "activefence moderation on output",
    "autoalign check output",
    "autoalign factcheck output",
    "autoalign groundedness output",
    "cleanlab trustworthiness",
    "crowdstrike aidr guard output",
    "fiddler bot faithfulness",
    "fiddler bot safety",
    "gotitai rag truthcheck",
    "patronus api check output",
  ],
} as const;

type Place = keyof typeof UNAVAILABLE_RAILS;

const OWN_FLOW = "write it as a flow with an action of your own";

const HINTS: Readonly<Record<Place, string>> = {
  input: `${OWN_FLOW}, or list \`self check input\``,
  output: `${OWN_FLOW}, or list \`self check output\`, \`self check facts\` or \`self check hallucination\``,
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
 * describeUnavailableRail("fiddler bot safety")?.message; // "`fiddler bot safety` is a rail of NeMo Guardrails that this release does not have"
 * ```
 */
export function describeUnavailableRail(name: string): { readonly message: string; readonly hint: string } | undefined {
  const place = PLACES.get(name);
  if (place === undefined) return undefined;
  return { message: `\`${name}\` is a rail of NeMo Guardrails that this release does not have`, hint: HINTS[place] };
}
