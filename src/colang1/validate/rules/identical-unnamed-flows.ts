import { sourceTextOf } from "../../compile-flow.js";
import type { FlowFacts } from "../program-facts.js";
import type { Rule } from "./rule.js";

/** CO-306: the same unnamed flow twice; the second never gets a turn before the first. */
export const identicalUnnamedFlows: Rule = (_facts, report) => {
  const seen = new Map<string, FlowFacts>();
  return {
    flow: (flow) => {
      const { definition } = flow;
      if (definition.name) return;
      const text = sourceTextOf(definition);
      const first = seen.get(text);
      if (!first) seen.set(text, flow);
      else {
        report("CO-306", "this unnamed flow is identical to another one", {
          span: definition.headerSpan,
          labels: [{ span: first.definition.headerSpan, text: "the other one" }],
          hint: "remove one of them",
        });
      }
    },
  };
};
