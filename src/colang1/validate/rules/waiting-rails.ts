import type { Statement } from "../../ast.js";
import { reachable } from "../../flow-tiers.js";
import { patternsOf } from "../../walk.js";
import type { Rule } from "./rule.js";

const USER_EVENTS = new Set(["UtteranceUserActionFinished", "UserMessage", "UserIntent"]);

/** CO-208: a rail decides about a message at hand; one that waits for the user, itself or in what it calls, hangs. */
export const waitingRails: Rule = ({ rails, flowsById, calls }, report) => ({
  program: () => {
    const reported = new Set<Statement>();
    for (const rail of rails) {
      for (const id of reachable([rail.id], calls)) {
        for (const statement of flowsById.get(id)?.statements ?? []) {
          const waiting = patternsOf(statement).find(waitsForUser);
          if (!waiting || reported.has(statement)) continue;
          reported.add(statement);
          report("CO-208", `rail \`${rail.id}\` waits for the user`, {
            span: waiting.span,
            labels: rail.span && [{ span: rail.span, text: "listed as a rail here" }],
            hint: "move the question into a dialog flow",
          });
        }
      }
    }
  },
});

function waitsForUser(pattern: ReturnType<typeof patternsOf>[number]): boolean {
  return pattern.kind === "UserPattern" || (pattern.kind === "EventPattern" && USER_EVENTS.has(pattern.type.text));
}
