import { serviceManifest } from "../http/service-manifest.js";

export const promptSecurity = serviceManifest({
  name: "prompt-security",
  title: "Prompt Security",
  summary: "Blocks or rewrites what the policies of Prompt Security find.",
  environment: ["PS_APP_ID", "PS_PROTECT_URL"],
  flows: [
    { name: "protect prompt", stage: "input", does: "guard", refusal: "inform answer unknown" },
    { name: "protect response", stage: "output", does: "guard", refusal: "inform answer unknown" },
  ],
  load: () => import("./actions.js"),
});
