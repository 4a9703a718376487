import { serviceManifest } from "../http/service-manifest.js";

export const trendMicro = serviceManifest({
  name: "trend-micro",
  title: "Trend Micro AI Guard",
  summary: "Blocks what AI Guard of Trend Micro's Vision One finds.",
  flows: (["input", "output"] as const).map((stage) => ({
    name: `trend ai guard ${stage}`,
    stage,
    exception: "TrendAiGuardException",
  })),
  load: () => import("./actions.js"),
});
