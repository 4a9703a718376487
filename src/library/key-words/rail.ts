import { detectionManifest } from "../detection-manifest.js";

export const keyWordsRail = detectionManifest({
  name: "key-words",
  title: "Key words, topics and competitors",
  summary: "Finds words and phrases of your lists.",
  subject: "key words",
  stages: ["input", "output", "retrieval", "tool_output", "tool_input"],
  settings: "key_words",
  load: () => import("./actions.js"),
});
