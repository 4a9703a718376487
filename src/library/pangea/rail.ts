import { serviceManifest } from "../http/service-manifest.js";

export const pangea = serviceManifest({
  name: "pangea",
  title: "Pangea AI Guard",
  summary: "Applies a recipe of Pangea AI Guard, which blocks a text or rewrites it.",
  environment: ["PANGEA_API_TOKEN", "PANGEA_BASE_URL_TEMPLATE"],
  flows: [
    { name: "pangea ai guard input", stage: "input", does: "guard" },
    { name: "pangea ai guard output", stage: "output", does: "guard" },
  ],
  load: () => import("./actions.js"),
});
