import { didYouMean, didYouMeanRail } from "../../../diagnostics/suggestion.js";
import type { Rule } from "./rule.js";
import { parametersOfRail } from "../rail-parameters.js";
import { findUtteranceEnds } from "../utterance-ends.js";
import type { Statement } from "../../ast.js";
import { reachable } from "../../compile-flow.js";
import { patternsOf } from "../../walk.js";

/** CO-209: a listed rail without a flow would leave messages unguarded. */
export const knownRails: Rule = ({ rails, flowsById, input }, report) => ({
  program: () => {
    for (const { id, span, path } of rails) {
      if (flowsById.has(id)) continue;
      const message = id === "" ? "a rail needs a name" : `rail \`${id}\` is listed but not defined`;
      const near = didYouMeanRail(id, path, new Set([...flowsById.keys(), ...(input.otherFlows ?? [])]));
      const hint = near ?? `define it with \`define subflow ${id || "name"}\``;
      report("CO-209", message, { span, path, hint });
    }
  },
});

/**
 * CO-212, CO-321: a parameter of a listed rail that nothing reads. The rail would decide without it: an error unless an
 * action of the configuration may read it, then a warning.
 */
export const knownRailParameters: Rule = (facts, report) => ({
  program: () => {
    for (const rail of facts.rails) {
      const taken = parametersOfRail(facts, rail);
      if (taken === undefined) continue;
      const { names, isComplete } = taken;
      const shown = [...names].map((name) => `$${name}`);
      const place = { span: rail.span, path: rail.path };
      for (const part of rail.unread) {
        const hint = "write parameters as `$name=value`, each of them once";
        report("CO-212", `\`${part}\` is not a parameter of the rail \`${rail.id}\``, { ...place, hint });
      }
      for (const name of rail.parameters) {
        if (names.has(name)) continue;
        const near = didYouMean(`$${name}`, shown);
        if (near !== undefined || isComplete) {
          const hint = near ?? (names.size === 0 ? "it takes none" : "read it in the flow, or remove it");
          report("CO-212", `rail \`${rail.id}\` has no parameter \`$${name}\``, { ...place, hint });
        } else {
          const hint = "an action may still read it; read it in the flow to make that sure";
          report("CO-321", `no flow of the rail \`${rail.id}\` reads its parameter \`$${name}\``, { ...place, hint });
        }
      }
    }
  },
});

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

const USER_EVENTS = new Set(["UtteranceUserActionFinished", "UserMessage", "UserIntent"]);

/** CO-208: a rail decides about a message at hand; one that waits for the user, itself or in what it calls, hangs. */
export const waitingRails: Rule = ({ rails, flowsById, calls }, report) => ({
  program: () => {
    const reported = new Set<Statement>();
    for (const rail of rails) {
      for (const id of reachable([rail.id], calls)) {
        for (const statement of flowsById.get(id)?.statements ?? []) {
          const waiting = patternsOf(statement).find((pattern) =>
            pattern.kind === "EventPattern" ? USER_EVENTS.has(pattern.type.text) : pattern.kind === "UserPattern",
          );
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
