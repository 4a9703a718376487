import type { LibraryRail } from "../library-rail.js";
import { selfCheckOutputAction } from "./actions.js";

export const selfCheckOutput: LibraryRail = {
  folder: "self-check-output",
  flows: [{ name: "self check output", stage: "output" }],
  needs: { tasks: ["self_check_output"], mainModel: false },
  actions: [selfCheckOutputAction],
};
