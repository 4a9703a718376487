import type { LibraryRail } from "../library-rail.js";
import { selfCheckHallucinationAction } from "./actions.js";

export const selfCheckHallucination: LibraryRail = {
  folder: "self-check-hallucination",
  flows: [
    { name: "self check hallucination", stage: "output", stream: "answer" },
    { name: "hallucination warning", stage: "dialog" },
  ],
  needs: { tasks: ["self_check_hallucination", "general"], mainModel: true },
  actions: [selfCheckHallucinationAction],
};
