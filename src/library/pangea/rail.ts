import { serviceManifest } from "../http/service-manifest.js";

const GUARD = { does: "guard", refusal: "inform answer unknown", exception: "PangeaAiGuardRailException" } as const;

export const pangea = serviceManifest({
  name: "pangea",
  title: "Pangea AI Guard",
  summary: "Applies a recipe of Pangea AI Guard, which blocks a text or rewrites it.",
  environment: ["PANGEA_API_TOKEN", "PANGEA_BASE_URL_TEMPLATE"],
  leaves: "The text that is checked, and the user's message, to Pangea.",
  flows: [
    { name: "pangea ai guard input", stage: "input", ...GUARD },
    { name: "pangea ai guard output", stage: "output", ...GUARD },
  ],
  load: () => import("./actions.js"),
});
