import type { LibraryRail } from "../library-rail.js";
import { checkToolCallPatternsAction, checkToolResultPatternsAction } from "./actions.js";

export const toolPatterns: LibraryRail = {
  folder: "tool-patterns",
  flows: [
    { name: "regex check tool output", stage: "tool_output" },
    { name: "regex check tool input", stage: "tool_input" },
  ],
  needs: { tasks: [], mainModel: false },
  actions: [checkToolCallPatternsAction, checkToolResultPatternsAction],
};
