import { serviceManifest } from "../http/service-manifest.js";

export const openaiModeration = serviceManifest({
  name: "openai-moderation",
  title: "OpenAI moderation",
  summary: "Asks OpenAI's moderation endpoint, which is free of charge, for harmful content.",
  environment: ["OPENAI_API_KEY"],
  flows: [
    { name: "openai moderation on input", stage: "input", readsImages: true },
    { name: "openai moderation on output", stage: "output" },
  ],
  // The other models of the endpoint read texts alone.
  seesImages: ({ model = "omni-moderation-latest" }) => String(model).startsWith("omni-moderation"),
  leaves: "The text that is checked and the pictures with it, to OpenAI.",
  load: () => import("./actions.js"),
});
