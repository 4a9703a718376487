import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { FlowDefinition } from "../ast.js";
import { calledFlows } from "./rules/called-flows.js";
import { countBraces } from "./rules/count-braces.js";
import { defaultValues } from "./rules/default-values.js";
import { labels } from "./rules/labels.js";
import { lateWaits } from "./rules/late-waits.js";
import { railVariables } from "./rules/rail-variables.js";
import { reachable } from "./rules/reachable.js";
import type { Rule, RuleInput } from "./rules/rule.js";

const RULES: readonly Rule[] = [defaultValues, calledFlows, labels, reachable, countBraces, lateWaits, railVariables];

/** Checks a flow with every rule. */
export function validateFlow(
  flow: FlowDefinition,
  flows: ReadonlyMap<string, FlowDefinition>,
  { rails, parametersOf }: Pick<RuleInput, "rails" | "parametersOf"> = {},
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const rule of RULES) {
    rule({
      flow,
      flows,
      rails,
      parametersOf,
      report: (code, message, span, hint) => diagnostics.push(createDiagnostic(code, message, { span, hint })),
    });
  }
  return diagnostics;
}
