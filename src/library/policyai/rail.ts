import { serviceManifest } from "../http/service-manifest.js";

export const policyAi = serviceManifest({
  name: "policyai",
  title: "PolicyAI",
  summary: "Blocks texts that break one of the policies behind a tag of PolicyAI.",
  environment: ["POLICYAI_API_KEY", "POLICYAI_BASE_URL", "POLICYAI_TAG_NAME"],
  flows: (["input", "output"] as const).map((stage) => ({
    name: `policyai moderation on ${stage}`,
    stage,
    exception: "PolicyAIModerationRailException",
  })),
  verdictsBy: "text",
  load: () => import("./actions.js"),
});
