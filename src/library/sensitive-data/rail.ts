import type { RailFlow, RailManifest } from "../rail-manifest.js";
import type { Source } from "../subject.js";

/** Stages in which values become pseudonyms, with their names in flows. */
const REVERSIBLE = [
  ["input", "input"],
  ["retrieval", "retrieval"],
  ["tool_input", "tool input"],
] as const satisfies readonly (readonly [Source, string])[];

const STAGES = ["input", "output", "retrieval"] as const satisfies readonly Source[];

export const sensitiveData: RailManifest = {
  name: "sensitive-data",
  title: "Personal data",
  summary:
    "Finds, masks or pseudonymises personal data: mail addresses, phones, cards, accounts, national ids and more.",
  flows: [
    ...STAGES.flatMap((stage): RailFlow[] => [
      {
        name: `detect sensitive data on ${stage}`,
        stage,
        runs: { action: "detect_sensitive_data", refusal: "inform answer unknown" },
      },
      {
        name: `mask sensitive data on ${stage}`,
        stage,
        rewrites: true,
        stream: "findings",
        runs: { action: "mask_sensitive_data" },
      },
    ]),
    ...REVERSIBLE.map(([stage, words]): RailFlow => ({
      name: `pseudonymise sensitive data on ${words}`,
      stage,
      rewrites: true,
      isReversible: true,
      runs: { action: "pseudonymise_sensitive_data" },
    })),
  ],
  settings: "sensitive_data_detection",
  cost: "local",
  leaves: "With `server_endpoint`, the text that is checked, to the Presidio server.",
  actions: [
    { name: "detect_sensitive_data", parameters: ["source", "text", "variant"] },
    { name: "mask_sensitive_data", parameters: ["source", "text", "variant"], verdict: false },
    { name: "pseudonymise_sensitive_data", parameters: ["source", "text", "variant"], verdict: false },
  ],
  load: () => import("./actions.js"),
};
