import { serviceManifest } from "../http/service-manifest.js";

export const f5 = serviceManifest({
  name: "f5",
  title: "F5 AI Guardrails",
  summary: "Blocks texts that a scan of F5 AI Guardrails does not clear.",
  environment: ["F5_GUARDRAILS_API_KEY", "F5_GUARDRAILS_API_URL", "F5_GUARDRAILS_FAIL_OPEN"],
  flows: (["input", "output"] as const).map((stage) => ({ name: `f5 guardrails scan ${stage}`, stage })),
  verdictsBy: "text",
  load: () => import("./actions.js"),
});
