import { serviceManifest } from "../http/service-manifest.js";

export const cleanlab = serviceManifest({
  name: "cleanlab",
  title: "Cleanlab",
  summary: "Scores how far an answer to a question can be trusted.",
  environment: ["CLEANLAB_API_KEY"],
  leaves: "The user's message and the bot's message, to Cleanlab.",
  flows: [
    {
      name: "cleanlab trustworthiness",
      stage: "output",
      stream: "answer",
      refusal: "response untrustworthy",
      exception: "CleanlabTrustworthinessRailException",
    },
  ],
  load: () => import("./actions.js"),
});
