import { detectionManifest } from "../detection-manifest.js";

export const jailbreakPhrasingRail = detectionManifest({
  name: "jailbreak-phrasing",
  title: "Jailbreak phrasing",
  summary: "Finds known phrasing of jailbreaks and prompt injections in 17 languages, its commonest orders in 50 more.",
  subject: "jailbreak",
  stages: ["input", "retrieval", "tool_input"],
  settings: "jailbreak_phrasing",
  load: () => import("./actions.js"),
});
