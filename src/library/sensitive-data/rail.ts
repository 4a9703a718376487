import type { RailFlow, RailManifest } from "../rail-manifest.js";
import type { Source } from "../subject.js";

const STAGES = ["input", "output", "retrieval"] as const satisfies readonly Source[];

export const sensitiveData: RailManifest = {
  name: "sensitive-data",
  title: "Personal data",
  summary: "Finds or masks personal data: mail addresses, phones, cards, accounts, national ids and more.",
  flows: STAGES.flatMap((stage): RailFlow[] => [
    {
      name: `detect sensitive data on ${stage}`,
      stage,
      runs: { action: "detect_sensitive_data", refusal: "inform answer unknown" },
    },
    {
      name: `mask sensitive data on ${stage}`,
      stage,
      rewrites: true,
      stream: "answer",
      runs: { action: "mask_sensitive_data" },
    },
  ]),
  settings: "sensitive_data_detection",
  cost: "local",
  actions: [
    { name: "detect_sensitive_data", parameters: ["source", "text", "variant"] },
    { name: "mask_sensitive_data", parameters: ["source", "text", "variant"], verdict: false },
  ],
  load: () => import("./actions.js"),
};
