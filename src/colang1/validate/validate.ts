import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { DIAGNOSTIC_CODES } from "../../diagnostics/codes.js";
import type { FlowFacts, ProgramFacts } from "./program-facts.js";
import { differentOutcomes } from "./rules/different-outcomes.js";
import { identicalUnnamedFlows } from "./rules/identical-unnamed-flows.js";
import { initialisers } from "./rules/initialisers.js";
import { intentsWithoutExamples } from "./rules/intents-without-examples.js";
import { knownParameters } from "./rules/known-parameters.js";
import { knownRailParameters } from "./rules/known-rail-parameters.js";
import { knownRails } from "./rules/known-rails.js";
import { knownSubflows } from "./rules/known-subflows.js";
import { knownUserTexts } from "./rules/known-user-texts.js";
import { labels } from "./rules/labels.js";
import { looseActionNames } from "./rules/loose-action-names.js";
import { nearVariables } from "./rules/near-variables.js";
import { positionalArguments } from "./rules/positional-arguments.js";
import { propertyTargets } from "./rules/property-targets.js";
import { quotedVariables } from "./rules/quoted-variables.js";
import { rawUtteranceFlows } from "./rules/raw-utterance-flows.js";
import { reservedVariables } from "./rules/reserved-variables.js";
import { resolvedImports } from "./rules/resolved-imports.js";
import type { Report, Rule } from "./rules/rule.js";
import { speakingRails } from "./rules/speaking-rails.js";
import { undefinedMessages } from "./rules/undefined-messages.js";
import { uniqueFlows } from "./rules/unique-flows.js";
import { uniqueMessages } from "./rules/unique-messages.js";
import { usableEvents } from "./rules/usable-events.js";
import { waitingRails } from "./rules/waiting-rails.js";

/** Every rule, in the order of the codes. */
const RULES: readonly Rule[] = [
  resolvedImports,
  usableEvents,
  reservedVariables,
  uniqueFlows,
  labels,
  knownUserTexts,
  knownSubflows,
  positionalArguments,
  knownParameters,
  propertyTargets,
  waitingRails,
  knownRails,
  knownRailParameters,
  uniqueMessages,
  identicalUnnamedFlows,
  initialisers,
  quotedVariables,
  speakingRails,
  looseActionNames,
  nearVariables,
  differentOutcomes,
  undefinedMessages,
  intentsWithoutExamples,
  rawUtteranceFlows,
];

/**
 * Checks a whole program with one walk. Warnings about default and library flows are left out: their reader did not write
 * those flows.
 */
export function validateProgram(facts: ProgramFacts): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  let current: FlowFacts | undefined;
  const report: Report = (code, message, details) => {
    const isForeign = current?.origin === "default" || current?.origin === "library";
    if (isForeign && DIAGNOSTIC_CODES[code].severity !== "error") return;
    diagnostics.push(createDiagnostic(code, message, details));
  };
  const visitors = RULES.map((rule) => rule(facts, report));
  const statementVisitors = visitors.flatMap((visitor) => visitor.statement ?? []);
  for (const flow of facts.flows) {
    current = flow;
    for (const statement of flow.statements) {
      for (const visit of statementVisitors) visit(statement, flow);
    }
    for (const visitor of visitors) visitor.flow?.(flow);
  }
  current = undefined;
  for (const visitor of visitors) visitor.program?.();
  return diagnostics;
}
