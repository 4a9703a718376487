import { serviceManifest } from "../http/service-manifest.js";

export const guardrailsAi = serviceManifest({
  name: "guardrails-ai",
  title: "Guardrails AI",
  summary: "Asks guards of a Guardrails AI server to validate texts.",
  flows: (["input", "output"] as const).map((stage) => ({
    name: `guardrailsai check ${stage}`,
    stage,
    parameters: ["validator"],
  })),
  load: () => import("./actions.js"),
});
