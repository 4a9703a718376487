import { detectionManifest } from "../detection-manifest.js";

export const urlCheck = detectionManifest({
  name: "url-check",
  title: "Addresses",
  summary: "Finds addresses that are not allowed, and addresses that pretend to be others.",
  subject: "urls",
  stages: ["input", "output", "retrieval", "tool_output", "tool_input"],
  settings: "url_check",
  load: () => import("./actions.js"),
});
