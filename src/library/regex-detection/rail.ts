import type { RailManifest } from "../rail-manifest.js";

export const regexDetection: RailManifest = {
  name: "regex-detection",
  title: "Patterns of your own",
  summary: "Blocks texts that match a regular expression; drops retrieved chunks that do.",
  flows: [
    { name: "regex check input", stage: "input", runs: { action: "detect_regex_pattern" } },
    { name: "regex check output", stage: "output", runs: { action: "detect_regex_pattern" } },
    {
      name: "regex check retrieval",
      stage: "retrieval",
      rewrites: true,
      runs: { action: "drop_chunks_with_regex_pattern" },
    },
  ],
  settings: "regex_detection",
  cost: "local",
  actions: [
    { name: "detect_regex_pattern", parameters: ["source", "text", "variant"] },
    { name: "drop_chunks_with_regex_pattern", parameters: ["source", "text", "variant"], verdict: false },
  ],
  load: () => import("./actions.js"),
};
