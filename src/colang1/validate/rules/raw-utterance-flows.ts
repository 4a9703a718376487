import { patternsOf } from "../../walk.js";
import type { Rule } from "./rule.js";

/** CO-318: a flow on the raw utterance starts only after the input rails let the text pass. */
export const rawUtteranceFlows: Rule = (_facts, report) => ({
  statement: (statement, { compiled, isRail }) => {
    if (compiled.tier === "system" || isRail) return;
    for (const pattern of patternsOf(statement)) {
      if (pattern.kind !== "EventPattern" || pattern.type.text !== "UtteranceUserActionFinished") continue;
      report("CO-318", "this flow sees the text only after the input rails let it pass", {
        span: pattern.type.span,
        hint: "write `event UserMessage` to say so",
      });
    }
  },
});
