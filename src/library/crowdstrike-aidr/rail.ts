import { serviceManifest } from "../http/service-manifest.js";

const GUARD = {
  does: "guard",
  refusal: "inform answer unknown",
  exception: "CrowdStrikeAidrGuardRailException",
} as const;

export const crowdstrikeAidr = serviceManifest({
  name: "crowdstrike-aidr",
  title: "CrowdStrike AIDR",
  summary: "Applies the policy of CrowdStrike AI Detection and Response, which blocks a text or rewrites it.",
  environment: ["CS_AIDR_TOKEN", "CS_AIDR_BASE_URL_TEMPLATE"],
  leaves: "The text that is checked, and the user's message, to CrowdStrike.",
  flows: [
    { name: "crowdstrike aidr guard input", stage: "input", ...GUARD },
    { name: "crowdstrike aidr guard output", stage: "output", ...GUARD },
  ],
  load: () => import("./actions.js"),
});
