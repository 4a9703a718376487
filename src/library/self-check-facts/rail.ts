import type { LibraryRail } from "../library-rail.js";
import { selfCheckFactsAction } from "./actions.js";

export const selfCheckFacts: LibraryRail = {
  folder: "self-check-facts",
  flows: [{ name: "self check facts", stage: "output", stream: "answer", needsEvidence: true }],
  needs: { tasks: ["self_check_facts"], mainModel: false },
  actions: [selfCheckFactsAction],
};
