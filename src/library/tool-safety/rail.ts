import type { LibraryRail } from "../library-rail.js";
import { judgeToolCallAction, judgeToolResultAction } from "./actions.js";

export const toolSafety: LibraryRail = {
  folder: "tool-safety",
  flows: [
    { name: "tool safety check tool output", stage: "tool_output" },
    { name: "tool safety check tool input", stage: "tool_input" },
  ],
  needs: { tasks: ["tool_safety_check_output", "tool_safety_check_input"], mainModel: false },
  actions: [judgeToolCallAction, judgeToolResultAction],
};
