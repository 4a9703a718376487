import { serviceManifest } from "../http/service-manifest.js";

const SAFETY = { ask: "safety", exception: "JailbreakDetectionRailException" };

export const fiddler = serviceManifest({
  name: "fiddler",
  title: "Fiddler",
  summary: "Scores the safety of a text, and how faithful an answer is to the evidence.",
  environment: ["FIDDLER_API_KEY"],
  leaves: "The text that is checked, and the evidence for it, to Fiddler.",
  flows: [
    { name: "fiddler user safety", stage: "input", ...SAFETY },
    { name: "fiddler bot safety", stage: "output", ...SAFETY },
    { name: "fiddler bot faithfulness", stage: "output", ask: "faithfulness", needsEvidence: true },
  ],
  load: () => import("./actions.js"),
});
