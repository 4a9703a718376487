import type { LibraryRail } from "../library-rail.js";
import { checkToolCallAction, checkToolResultAction } from "./actions.js";

export const toolValidation: LibraryRail = {
  folder: "tool-validation",
  flows: [
    { name: "tool call validation", stage: "tool_output" },
    { name: "tool result validation", stage: "tool_input" },
  ],
  needs: { tasks: [], mainModel: false },
  actions: [checkToolCallAction, checkToolResultAction],
};
