import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { DIAGNOSTIC_CODES } from "../../diagnostics/codes.js";
import type { FlowFacts, ProgramFacts } from "./program-facts.js";
import { differentOutcomes } from "./rules/different-outcomes.js";
import {
  identicalUnnamedFlows,
  initialisers,
  rawUtteranceFlows,
  resolvedImports,
  uniqueFlows,
  uniqueMessages,
  labels,
} from "./rules/definitions.js";
import { intentsWithoutExamples, knownUserTexts, undefinedMessages } from "./rules/messages.js";
import {
  knownParameters,
  knownSubflows,
  looseActionNames,
  positionalArguments,
  usableEvents,
} from "./rules/references.js";
import { knownRailParameters, knownRails, speakingRails, waitingRails } from "./rules/rails.js";
import { nearVariables, propertyTargets, quotedVariables, reservedVariables } from "./rules/variables.js";
import type { Report, Rule, RuleVisitor } from "./rules/rule.js";
import type { Pattern, Statement } from "../ast.js";
import { patternsOf } from "../walk.js";

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
  const concerned = visitorsByKind(visitors);
  for (const flow of facts.flows) {
    current = flow;
    for (const statement of flow.statements) visitStatement(concerned(statement.kind), statement, flow);
    for (const visitor of visitors) visitor.flow?.(flow);
  }
  current = undefined;
  for (const visitor of visitors) visitor.program?.();
  return diagnostics;
}

const PATTERNS: readonly Pattern["kind"][] = ["UserPattern", "BotPattern", "EventPattern"];

/** Most rules look at few kinds of statements, and a walk over all rules for each statement took a tenth of a load. */
function visitorsByKind(visitors: readonly RuleVisitor[]): (kind: Statement["kind"]) => readonly RuleVisitor[] {
  const known = new Map<Statement["kind"], readonly RuleVisitor[]>();
  return (kind) => {
    let found = known.get(kind);
    if (found === undefined) {
      const handlers = [kind, "statement", ...(kind === "Match" || kind === "When" ? PATTERNS : [])] as const;
      found = visitors.filter((visitor) => handlers.some((handler) => visitor[handler] !== undefined));
      known.set(kind, found);
    }
    return found;
  };
}

function visitStatement(visitors: readonly RuleVisitor[], statement: Statement, flow: FlowFacts): void {
  const patterns = patternsOf(statement);
  for (const visitor of visitors) {
    visitor.statement?.(statement, flow);
    (visitor[statement.kind] as RuleVisitor["statement"])?.(statement, flow);
    for (const pattern of patterns) {
      (visitor[pattern.kind] as ((pattern: Pattern, flow: FlowFacts) => void) | undefined)?.(pattern, flow);
    }
  }
}
