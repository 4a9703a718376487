import { serviceManifest } from "../http/service-manifest.js";

export const gliner = serviceManifest({
  name: "gliner",
  title: "GLiNER",
  summary: "Finds or masks personal data with a server that runs GLiNER.",
  flows: (["input", "output", "retrieval"] as const).flatMap((stage) => [
    { name: `gliner detect pii on ${stage}`, stage, refusal: "inform answer unknown" },
    { name: `gliner mask pii on ${stage}`, stage, does: "mask" },
  ]),
  load: () => import("./actions.js"),
});
