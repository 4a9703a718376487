import type { RailManifest } from "../rail-manifest.js";

export const alignScore: RailManifest = {
  name: "alignscore",
  title: "AlignScore",
  summary: "Asks an AlignScore server how well the evidence supports the bot's message.",
  flows: [{ name: "alignscore check facts", stage: "output", stream: "answer", needsEvidence: true }],
  settings: "fact_checking",
  cost: "network",
  leaves: "The bot's message and the evidence, to the server.",
  actions: [{ name: "alignscore_check_facts" }],
  load: () => import("./actions.js"),
};
