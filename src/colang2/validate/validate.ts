import { createDiagnostic, type Diagnostic, quoteText } from "../../diagnostics/diagnostic.js";
import type { FlowDefinition, Statement } from "../ast.js";
import { calledFlows } from "./rules/called-flows.js";
import { lateWaits } from "./rules/late-waits.js";
import { railVariables } from "./rules/rail-variables.js";
import type { Rule, RuleInput } from "./rules/rule.js";
import { createSpan } from "../../diagnostics/source-file.js";
import { walkExpressions, walkStatements, blocksOf } from "../walk.js";
import { walkExpression } from "../../expressions/walk-expression.js";
import { didYouMean } from "../../diagnostics/suggestion.js";

/** `"x{3}"` is `x3`: what looks like a count in a pattern is a value in a string. */
const countBraces: Rule = ({ flow, report }) => {
  walkExpressions(flow, (part) => {
    if (part.kind !== "Template") return;
    for (const piece of part.parts) {
      if (typeof piece === "string" || piece.kind !== "Literal" || typeof piece.value !== "number") continue;
      const span = createSpan(flow.span.source, piece.start - 1, piece.end + 1);
      const text = flow.span.source.text.slice(piece.start, piece.end);
      const hint = `write ${quoteText(`{{${text}}}`)} for braces; in \`regex\`, \`search\` and \`find_all\` they stay as they are`;
      report("C2-309", `${quoteText(`{${text}}`)} in a string is only ${quoteText(text)}`, span, hint);
    }
  });
};

/** Defaults are evaluated when a flow starts, before it has variables. */
const defaultValues: Rule = ({ flow, report }) => {
  for (const parameter of [...flow.parameters, ...flow.returnMembers]) {
    if (!parameter.default) continue;
    walkExpression(parameter.default, (part) => {
      if (part.kind !== "Variable" || part.name === "system") return;
      const span = createSpan(parameter.span.source, part.start, part.end);
      const hint = "assign it in the body: `if $x is None`";
      report(
        "C2-204",
        `the default of ${quoteText(`$${parameter.name}`)} reads ${quoteText(`$${part.name}`)}`,
        span,
        hint,
      );
    });
  }
};

const RESTART = "start_new_flow_instance";

/** Only one label has a meaning. */
const labels: Rule = ({ flow, report }) => {
  walkStatements(flow.body, (statement) => {
    if (statement.kind !== "Label" || statement.name.text === RESTART) return;
    const { text, span } = statement.name;
    const hint = didYouMean(text, [RESTART]) ?? `only \`${RESTART}:\` has a meaning`;
    report("C2-307", `the label ${quoteText(text)} has no effect`, span, hint);
  });
};

const ENDS: ReadonlyMap<Statement["kind"], string> = new Map<Statement["kind"], string>([
  ["Return", "return"],
  ["Abort", "abort"],
  ["Break", "break"],
  ["Continue", "continue"],
]);

/** Nothing is executed behind a statement that leaves its block. */
const reachable: Rule = (input) => checkBlock(input, input.flow.body);

function checkBlock(input: RuleInput, block: readonly Statement[]): void {
  const end = block.findIndex(({ kind }) => ENDS.has(kind));
  const dead = block[end + 1];
  if (end !== -1 && dead) {
    const word = ENDS.get((block[end] as Statement).kind) ?? "";
    input.report("C2-308", `never reached: it stands behind \`${word}\``, dead.span, "remove it, or move it in front");
  }
  for (const statement of block) for (const inner of blocksOf(statement)) checkBlock(input, inner);
}

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
