import { serviceManifest } from "../http/service-manifest.js";

export const autoalign = serviceManifest({
  name: "autoalign",
  title: "AutoAlign",
  summary: "Runs tasks of AutoAlign over a text, masks personal data, and checks facts.",
  environment: ["AUTOALIGN_API_KEY"],
  leaves: "The text that is checked, and for facts the user's message or the evidence, to AutoAlign.",
  flows: [
    { name: "autoalign check input", stage: "input", does: "guard", exception: "AutoAlignInputRailException" },
    { name: "autoalign check output", stage: "output", does: "guard", exception: "AutoAlignOutputRailException" },
    {
      name: "autoalign factcheck output",
      stage: "output",
      ask: "facts",
      stream: "answer",
      refusal: "inform answer unknown",
    },
    {
      name: "autoalign groundedness output",
      stage: "output",
      ask: "groundedness",
      needsEvidence: true,
      onRequest: "check_facts",
      refusal: "inform answer unknown",
    },
  ],
  load: () => import("./actions.js"),
});
