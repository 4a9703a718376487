import type { LibraryRail } from "../library-rail.js";
import { selfCheckOutputAction } from "./actions.js";

export const selfCheckOutput: LibraryRail = {
  folder: "self-check-output",
  flows: [{ name: "self check output", stage: "output" }],
  kind: "llm",
  needs: { tasks: ["self_check_output"], mainModel: false },
  rewrites: false,
  actions: [selfCheckOutputAction],
};
