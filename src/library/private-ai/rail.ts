import { serviceManifest } from "../http/service-manifest.js";

export const privateAi = serviceManifest({
  name: "private-ai",
  title: "Private AI",
  summary: "Finds or masks personal data with a server of Private AI.",
  settings: "privateai",
  environment: ["PAI_API_KEY"],
  flows: (["input", "output", "retrieval"] as const).flatMap((stage) => [
    { name: `detect pii on ${stage}`, stage, refusal: "inform answer unknown" },
    { name: `mask pii on ${stage}`, stage, does: "mask" },
  ]),
  load: () => import("./actions.js"),
});
