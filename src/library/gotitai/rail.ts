import { serviceManifest } from "../http/service-manifest.js";

export const gotitai = serviceManifest({
  name: "gotitai",
  title: "Got It AI",
  summary: "Compares the bot's message with the evidence.",
  environment: ["GOTITAI_API_KEY"],
  leaves: "The user's message, the bot's message and the evidence, to Got It AI.",
  flows: [
    {
      name: "gotitai rag truthcheck",
      stage: "output",
      needsEvidence: true,
      onRequest: "check_facts",
      refusal: "inform answer unknown",
      exception: "GotitaiHallucinationRailException",
    },
  ],
  load: () => import("./actions.js"),
});
