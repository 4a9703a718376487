import { quoteText } from "../../../diagnostics/diagnostic.js";
import { didYouMean } from "../../../diagnostics/suggestion.js";
import type { Spec, Statement } from "../../ast.js";
import { ACTION_MEMBERS, classifyName, isActionMember } from "../../event-names.js";
import { isLifecycleMember } from "../../parse/reserved-words.js";
import { groupsOf, specsOf, walkStatements } from "../../walk.js";
import type { Rule, RuleInput } from "./rule.js";

/** A flow that waits for an event that actions do not have, such as `Failed`, fails there. */
export const actionMembers: Rule = (input) => {
  const { flow } = input;
  const actions = new Map<string, boolean>();
  for (const { name } of flow.parameters) actions.set(name, false);
  walkStatements(flow.body, (statement) => {
    for (const [name, isAction] of bindingsOf(statement, input)) {
      actions.set(name, isAction && actions.get(name) !== false);
    }
  });
  walkStatements(flow.body, (statement) => {
    for (const { group } of groupsOf(statement)) {
      for (const spec of specsOf(group)) checkMember(input, spec, actions);
    }
  });
};

/** The variables that a statement assigns; true for those that certainly refer to an action afterwards. */
function bindingsOf(statement: Statement, input: RuleInput): readonly (readonly [string, boolean])[] {
  switch (statement.kind) {
    case "For":
      return [[statement.variable.text, false]];
    case "Assign":
    case "GenerateValue":
      return [[statement.target.name, false]];
    default: {
      const isStart = statement.kind === "When" || (statement.kind === "Operation" && STARTS.has(statement.operator));
      const references = groupsOf(statement)
        .flatMap(({ group }) => specsOf(group))
        .flatMap((spec) => (spec.reference ? [[spec.reference.text, isStart && isAction(spec, input)] as const] : []));
      const target = statement.kind === "Operation" ? statement.target : undefined;
      return target === undefined ? references : [...references, [target.name, isReference(statement, input)]];
    }
  }
}

/** `$r = start LampAction()` */
function isReference(statement: Statement, input: RuleInput): boolean {
  if (statement.kind !== "Operation" || statement.operator !== "start") return false;
  return statement.group.kind === "Spec" && isAction(statement.group, input);
}

const STARTS: ReadonlySet<string> = new Set(["start", "await"]);

function isAction({ callee, members }: Spec, { flows }: RuleInput): boolean {
  return callee.kind === "NameCallee" && members.length === 0 && classifyName(callee.name.text, flows) === "action";
}

function checkMember({ report }: RuleInput, { callee, members }: Spec, actions: ReadonlyMap<string, boolean>): void {
  const [only, second] = members;
  if (callee.kind !== "VariableCallee" || actions.get(callee.variable) !== true || !only || second) return;
  const { text, span } = only.name;
  if (!isLifecycleMember(text) || isActionMember(text)) return;
  const reference = `$${callee.variable}`;
  const hint =
    text === "Failed"
      ? `an action that fails has finished: ${quoteText(`${reference}.Finished(is_success=False)`)}`
      : (didYouMean(text, ACTION_MEMBERS) ?? `actions have ${[...ACTION_MEMBERS].map(quoteText).join(", ")}`);
  const message = `${quoteText(reference)} is an action and has no ${quoteText(text)}, so the flow fails here`;
  report("C2-314", message, span, hint);
}
