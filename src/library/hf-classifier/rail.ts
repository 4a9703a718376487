import { serviceManifest } from "../http/service-manifest.js";

export const hfClassifier = serviceManifest({
  name: "hf-classifier",
  title: "Text classifiers",
  summary: "Asks a classifier of Hugging Face behind vLLM, KServe or FMS; drops retrieved chunks that it refuses.",
  flows: [
    { name: "hf classifier check input", stage: "input", parameters: ["classifier"] },
    { name: "hf classifier check output", stage: "output", parameters: ["classifier"] },
    { name: "hf classifier check retrieval", stage: "retrieval", does: "mask", parameters: ["classifier"] },
  ],
  load: () => import("./actions.js"),
});
