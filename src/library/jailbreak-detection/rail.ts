import { serviceManifest } from "../http/service-manifest.js";

const SHARED = { stage: "input", exception: "JailbreakDetectionRailException" } as const;

export const jailbreakDetection = serviceManifest({
  name: "jailbreak-detection",
  title: "Jailbreak detection by a model",
  summary: "Asks a server for jailbreak attempts: the perplexity of a text, or a classifier.",
  flows: [
    { name: "jailbreak detection heuristics", ask: "heuristics", ...SHARED },
    { name: "jailbreak detection model", ask: "model", ...SHARED },
  ],
  load: () => import("./actions.js"),
});
