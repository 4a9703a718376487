import type { LibraryRail } from "../library-rail.js";
import { selfCheckFactsAction } from "./actions.js";

export const selfCheckFacts: LibraryRail = {
  folder: "self-check-facts",
  flows: [{ name: "self check facts", stage: "output", stream: "answer", needsEvidence: true }],
  kind: "llm",
  needs: { tasks: ["self_check_facts"], mainModel: false },
  rewrites: false,
  actions: [selfCheckFactsAction],
};
