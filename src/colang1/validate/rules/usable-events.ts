import { patternsOf } from "../../walk.js";
import type { Rule } from "./rule.js";

const NEVER_MATCHED = new Set(["ContextUpdate", "StartInternalSystemAction"]);

/** CO-116: events that only the engine uses. */
export const usableEvents: Rule = (_facts, report) => ({
  statement: (statement) => {
    for (const pattern of patternsOf(statement)) {
      if (pattern.kind !== "EventPattern" || !NEVER_MATCHED.has(pattern.type.text)) continue;
      report("CO-116", `a flow cannot wait for \`${pattern.type.text}\``, {
        span: pattern.type.span,
        hint:
          pattern.type.text === "ContextUpdate"
            ? "read the variable in a condition instead"
            : "wait for `InternalSystemActionFinished`, or use the result of the action",
      });
    }
    if (statement.kind !== "Emit" || statement.type.text !== "StartInternalSystemAction") return;
    report("CO-116", "a flow cannot create `StartInternalSystemAction`", {
      span: statement.type.span,
      hint: "write `execute name` to run an action",
    });
  },
});
