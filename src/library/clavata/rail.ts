import { serviceManifest } from "../http/service-manifest.js";

export const clavata = serviceManifest({
  name: "clavata",
  title: "Clavata",
  summary: "Compares a text with a policy of Clavata, or with some labels of it.",
  environment: ["CLAVATA_API_KEY"],
  flows: [
    { name: "clavata check input", stage: "input", exception: "ClavataPolicyMatchException" },
    { name: "clavata check output", stage: "output", exception: "ClavataPolicyMatchException" },
  ],
  verdictsBy: "text",
  load: () => import("./actions.js"),
});
