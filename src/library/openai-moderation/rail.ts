import { serviceManifest } from "../http/service-manifest.js";

export const openaiModeration = serviceManifest({
  name: "openai-moderation",
  title: "OpenAI moderation",
  summary: "Asks OpenAI's moderation endpoint, which is free of charge, for harmful content.",
  environment: ["OPENAI_API_KEY"],
  flows: [
    { name: "openai moderation on input", stage: "input" },
    { name: "openai moderation on output", stage: "output" },
  ],
  load: () => import("./actions.js"),
});
