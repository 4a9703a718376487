import { serviceManifest } from "../http/service-manifest.js";

export const aiDefense = serviceManifest({
  name: "ai-defense",
  title: "Cisco AI Defense",
  summary: "Blocks texts that the rules of Cisco AI Defense call unsafe.",
  environment: ["AI_DEFENSE_API_KEY", "AI_DEFENSE_API_ENDPOINT"],
  flows: [
    { name: "ai defense inspect prompt", stage: "input", exception: "AIDefenseRailException" },
    { name: "ai defense inspect response", stage: "output", exception: "AIDefenseRailException" },
  ],
  load: () => import("./actions.js"),
});
