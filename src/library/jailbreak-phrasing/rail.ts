import { detectionManifest } from "../detection-manifest.js";

export const jailbreakPhrasingRail = detectionManifest({
  name: "jailbreak-phrasing",
  title: "Jailbreak phrasing",
  summary: "Finds known phrasing of jailbreaks and prompt injections in 16 languages.",
  subject: "jailbreak",
  stages: ["input", "retrieval", "tool_input"],
  settings: "jailbreak_phrasing",
  load: () => import("./actions.js"),
});
