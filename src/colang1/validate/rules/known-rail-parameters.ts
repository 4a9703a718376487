import { didYouMean } from "../../../diagnostics/suggestion.js";
import { parametersOfRail } from "../rail-parameters.js";
import type { Rule } from "./rule.js";

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
        const hint = "write parameters as `$name=value`";
        report("CO-212", `\`${part}\` is not a parameter of the rail \`${rail.id}\``, { ...place, hint });
      }
      for (const name of rail.parameters) {
        if (names.has(name)) continue;
        const near = didYouMean(`$${name}`, shown);
        if (near === undefined && isComplete) {
          const hint = names.size === 0 ? "it takes none" : "read it in the flow, or remove it";
          report("CO-212", `rail \`${rail.id}\` has no parameter \`$${name}\``, { ...place, hint });
        } else if (near !== undefined) {
          report("CO-212", `rail \`${rail.id}\` has no parameter \`$${name}\``, { ...place, hint: near });
        } else {
          const hint = "an action may still read it; read it in the flow to make that sure";
          report("CO-321", `no flow of the rail \`${rail.id}\` reads its parameter \`$${name}\``, { ...place, hint });
        }
      }
    }
  },
});
