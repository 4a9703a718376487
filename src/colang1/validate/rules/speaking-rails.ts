import { findUtteranceEnds } from "../utterance-ends.js";
import type { Rule } from "./rule.js";

/**
 * CO-310: a rail that says something and ends counts as a block, which is easily overlooked.
 * With `meta {"continue": true}` it does not; there the outcome differs from NeMo Guardrails, CO-314.
 */
export const speakingRails: Rule = ({ rails, flowsById, calls }, report) => {
  const railIds = new Set(rails.map((rail) => rail.id));
  const utteranceEnds = findUtteranceEnds(railIds, (id) => flowsById.get(id)?.lowered.elements, calls);
  return {
    flow: ({ id, compiled, lowered }) => {
      for (const position of utteranceEnds.get(id) ?? []) {
        const span = lowered.origins[position]?.span;
        if (compiled.continues) {
          report("CO-314", "the pipeline goes on after this message; NeMo Guardrails ends the turn here", { span });
        } else {
          report("CO-310", `rail \`${id}\` speaks without \`stop\` and so blocks`, {
            span,
            hint: 'add `stop` after it, or `meta {"continue": true}` to the rail to let the message pass',
          });
        }
      }
    },
  };
};
