import type { RailManifest } from "../rail-manifest.js";

export const patronusLynx: RailManifest = {
  name: "patronus-lynx",
  title: "Patronus Lynx",
  summary: "Asks a Lynx model if the bot's message is faithful to the retrieved text.",
  flows: [
    {
      name: "patronus lynx check output hallucination",
      stage: "output",
      stream: "answer",
      needsEvidence: true,
      runs: {
        action: "patronus_lynx_check_output_hallucination",
        refusal: "inform answer unknown",
        exception: "PatronusAIHallucinationException",
        parameters: ["model"],
        sets: { hallucination: "hallucination" },
      },
    },
  ],
  needs: { tasks: ["patronus_lynx_check_output_hallucination"], modelType: "patronus_lynx" },
  cost: "model",
  leaves: "The user's and the bot's message and the evidence, to the model.",
  actions: [{ name: "patronus_lynx_check_output_hallucination", parameters: ["source", "text", "model", "variant"] }],
  load: () => import("./actions.js"),
};
