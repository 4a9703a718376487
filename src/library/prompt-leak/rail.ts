import { detectionManifest } from "../detection-manifest.js";

export const promptLeak = detectionManifest({
  name: "prompt-leak",
  title: "Leaks of the prompt",
  summary: "Finds answers that repeat the instructions of the bot, or a token that was put into them.",
  subject: "prompt leak",
  stages: ["output", "tool_output"],
  settings: "prompt_leak",
  load: () => import("./actions.js"),
});
