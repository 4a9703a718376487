import { detectionManifest } from "../detection-manifest.js";

export const toxicWordsRail = detectionManifest({
  name: "toxic-words",
  title: "Toxic words",
  summary: "Finds rude words, obscene words and slurs.",
  subject: "toxic words",
  stages: ["input", "output"],
  settings: "toxic_words",
  load: () => import("./actions.js"),
});
