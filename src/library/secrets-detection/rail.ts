import { detectionManifest } from "../detection-manifest.js";

export const secretsDetection = detectionManifest({
  name: "secrets-detection",
  title: "Secrets",
  summary: "Finds keys, tokens, passwords and private keys by their formats, check sums and entropy.",
  subject: "secrets",
  stages: ["input", "output", "retrieval", "tool_output", "tool_input"],
  settings: "secrets_detection",
  load: () => import("./actions.js"),
});
