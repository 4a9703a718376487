import { serviceManifest } from "../http/service-manifest.js";

export const patronus = serviceManifest({
  name: "patronus",
  title: "Patronus",
  summary: "Runs evaluators of Patronus over an answer.",
  environment: ["PATRONUS_API_KEY"],
  leaves: "The user's message, the bot's message and the evidence, to Patronus.",
  flows: [{ name: "patronus api check output", stage: "output", stream: "answer", refusal: "inform answer unknown" }],
  load: () => import("./actions.js"),
});
