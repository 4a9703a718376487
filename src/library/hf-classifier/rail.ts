import { serviceManifest } from "../http/service-manifest.js";

export const hfClassifier = serviceManifest({
  name: "hf-classifier",
  title: "Text classifiers",
  summary: "Asks a Hugging Face classifier behind vLLM, KServe or FMS; drops retrieved chunks that it refuses.",
  leaves: "The text that is checked, to the server of the classifier.",
  flows: [
    { name: "hf classifier check input", stage: "input", parameters: ["classifier"] },
    { name: "hf classifier check output", stage: "output", parameters: ["classifier"] },
    { name: "hf classifier check retrieval", stage: "retrieval", does: "mask", parameters: ["classifier"] },
  ],
  load: () => import("./actions.js"),
});
