import { detectionManifest } from "../detection-manifest.js";

export const hiddenTextRail = detectionManifest({
  name: "hidden-text",
  title: "Hidden text",
  summary: "Finds text that readers do not see: tag characters, zero-width characters, reversed direction.",
  subject: "hidden text",
  stages: ["input", "output", "retrieval", "tool_output", "tool_input"],
  settings: "hidden_text",
  load: () => import("./actions.js"),
});
