import { serviceManifest } from "../http/service-manifest.js";

export const polygraf = serviceManifest({
  name: "polygraf",
  title: "Polygraf",
  summary: "Finds or masks personal data with Polygraf.",
  environment: ["POLYGRAF_API_KEY"],
  flows: (["input", "output", "retrieval"] as const).flatMap((stage) => [
    { name: `polygraf detect pii on ${stage}`, stage, refusal: "inform answer unknown" },
    { name: `polygraf mask pii on ${stage}`, stage, does: "mask" },
  ]),
  load: () => import("./actions.js"),
});
