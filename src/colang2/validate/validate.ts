import { quoteText } from "../../diagnostics/diagnostic.js";
import type { ProblemList } from "../../diagnostics/problem-list.js";
import type { FlowDefinition, Statement, StatementOf, Spec } from "../ast.js";
import { argumentTypes } from "./rules/argument-types.js";
import { actionMembers } from "./rules/action-members.js";
import { calledFlows } from "./rules/called-flows.js";
import { railVariables } from "./rules/rail-variables.js";
import type { Rule, RuleInput } from "./rules/rule.js";
import { priorities, variablesInStrings } from "./rules/written-values.js";
import { createSpan } from "../../diagnostics/source-file.js";
import { walkExpressions, walkStatements, blocksOf } from "../walk.js";
import { classifyName } from "../event-names.js";
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
const reachable: Rule = (input) => checkReachable(input, input.flow.body);

function checkReachable(input: RuleInput, block: readonly Statement[]): void {
  const end = block.findIndex(({ kind }) => ENDS.has(kind));
  const dead = block[end + 1];
  if (end !== -1 && dead) {
    const word = ENDS.get((block[end] as Statement).kind) ?? "";
    input.report("C2-308", `never reached: it stands behind \`${word}\``, dead.span, "remove it, or move it in front");
  }
  for (const statement of block) for (const inner of blocksOf(statement)) checkReachable(input, inner);
}

/** Events of a reference that have certainly happened, by variable. */
type Past = Map<string, ReadonlySet<string>>;

const STARTED: ReadonlySet<string> = new Set(["Started"]);

const OVER: ReadonlySet<string> = new Set(["Started", "Finished"]);

/** A wait for what has certainly happened already waits forever. */
const lateWaits: Rule = (input) => checkWaits(input, input.flow.body);

function checkWaits(input: RuleInput, block: readonly Statement[]): void {
  const past: Past = new Map();
  for (const statement of block) {
    const inner = blocksOf(statement);
    for (const nested of inner) checkWaits(input, nested);
    // Blocks inside are not followed.
    if (inner.length > 0) past.clear();
    else if (statement.kind === "Operation") checkOperation(input, statement, past);
    else if (statement.kind === "Assign") past.delete(statement.target.name);
  }
}

function checkOperation(input: RuleInput, { operator, group, target }: StatementOf<"Operation">, past: Past): void {
  if (operator === "match" && group.kind === "Spec") reportLate(input, group, past);
  if (target) past.delete(target.name);
  if (group.kind !== "Spec") return past.clear();
  const { callee, reference } = group;
  // Actions start when their host reports it, flows with the statement.
  const isStarted =
    operator === "start" && callee.kind === "NameCallee" && classifyName(callee.name.text, input.flows) === "flow";
  if (operator === "await" && reference) past.set(reference.text, OVER);
  else if (isStarted && reference) past.set(reference.text, STARTED);
  else if (reference) past.delete(reference.text);
  if (isStarted && target?.path.length === 0) past.set(target.name, STARTED);
}

function reportLate({ report }: RuleInput, { callee, members, span }: Spec, past: Past): void {
  const [only, second] = members;
  if (callee.kind !== "VariableCallee" || !only || second || !past.get(callee.variable)?.has(only.name.text)) return;
  const hint =
    only.name.text === "Started"
      ? "remove it: the statement above has waited for that"
      : `write \`it finished $${callee.variable}\`, which goes on at once`;
  report(
    "C2-310",
    `${quoteText(`$${callee.variable}`)} has ${only.name.text.toLowerCase()} already, so this waits forever`,
    span,
    hint,
  );
}

const RULES: readonly Rule[] = [
  defaultValues,
  calledFlows,
  labels,
  reachable,
  countBraces,
  lateWaits,
  actionMembers,
  railVariables,
  priorities,
  variablesInStrings,
  argumentTypes,
];

/** Checks a flow with every rule, and adds what it finds to the problems of the file. */
export function validateFlow(
  flow: FlowDefinition,
  flows: ReadonlyMap<string, FlowDefinition>,
  problems: ProblemList,
  { rails, actions, moduleOf }: Pick<RuleInput, "rails" | "actions" | "moduleOf"> = {},
): void {
  const report: RuleInput["report"] = (code, message, span, hint) => problems.report(code, message, { span, hint });
  for (const rule of RULES) rule({ flow, flows, rails, actions, moduleOf, report });
}
