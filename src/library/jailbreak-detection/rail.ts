import { serviceManifest } from "../http/service-manifest.js";

const SHARED = { stage: "input", exception: "JailbreakDetectionRailException" } as const;

export const jailbreakDetection = serviceManifest({
  name: "jailbreak-detection",
  title: "Jailbreak detection by a model",
  summary: "Asks a server if a message is a jailbreak attempt, by its perplexity or with a classifier.",
  leaves: "The text that is checked, to the server.",
  flows: [
    { name: "jailbreak detection heuristics", ask: "heuristics", ...SHARED },
    { name: "jailbreak detection model", ask: "model", ...SHARED },
  ],
  load: () => import("./actions.js"),
});
