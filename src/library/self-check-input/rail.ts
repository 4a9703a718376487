import type { LibraryRail } from "../library-rail.js";
import { selfCheckInputAction } from "./actions.js";

export const selfCheckInput: LibraryRail = {
  folder: "self-check-input",
  flows: [{ name: "self check input", stage: "input" }],
  needs: { tasks: ["self_check_input"], mainModel: false },
  actions: [selfCheckInputAction],
};
