import { detectionManifest } from "../detection-manifest.js";

export const languageCheck = detectionManifest({
  name: "language-check",
  title: "Languages",
  summary: "Finds texts in other languages than those that are allowed.",
  subject: "other languages",
  stages: ["input", "output"],
  settings: "language_check",
  load: () => import("./actions.js"),
});
