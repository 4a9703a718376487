import { detectionManifest } from "../detection-manifest.js";

export const exfiltrationDetection = detectionManifest({
  name: "exfiltration-detection",
  title: "Exfiltration",
  summary: "Finds images, links and markup by which an answer sends data elsewhere.",
  subject: "exfiltration",
  stages: ["output", "retrieval", "tool_output", "tool_input"],
  settings: "exfiltration_detection",
  load: () => import("./actions.js"),
});
