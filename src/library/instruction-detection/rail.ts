import { detectionManifest } from "../detection-manifest.js";

export const instructionDetection = detectionManifest({
  name: "instruction-detection",
  title: "Instructions in documents and tool results",
  summary: "Finds instructions to the assistant in retrieved text and in results of tools.",
  subject: "instructions",
  stages: ["retrieval", "tool_input"],
  settings: "instruction_detection",
  load: () => import("./actions.js"),
});
