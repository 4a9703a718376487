import { serviceManifest } from "../http/service-manifest.js";

export const zscalerAiGuard = serviceManifest({
  name: "zscaler-aiguard",
  title: "Zscaler AI Guard",
  summary: "Blocks texts by a policy of Zscaler AI Guard.",
  environment: ["AIGUARD_API_KEY", "AIGUARD_CLOUD", "AIGUARD_POLICY_ID"],
  flows: [
    {
      name: "zscaler aiguard moderation on input",
      stage: "input",
      refusal: "inform answer unknown",
      exception: "ZscalerAiguardInputRailException",
    },
    {
      name: "zscaler aiguard moderation on output",
      stage: "output",
      refusal: "inform answer unknown",
      exception: "ZscalerAiguardOutputRailException",
    },
  ],
  load: () => import("./actions.js"),
});
