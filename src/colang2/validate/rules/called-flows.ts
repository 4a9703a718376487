import { hintForAction } from "../../../engine/events.js";
import { createSpan } from "../../../diagnostics/source-file.js";
import { didYouMean, didYouMeanOrTakes } from "../../../diagnostics/suggestion.js";
import type { CallArgument, FlowDefinition, NameCallee, Spec } from "../../ast.js";
import { classifyName, modalityOf } from "../../event-names.js";
import { quoteText } from "../../../diagnostics/diagnostic.js";
import { groupsOf, specsOf, walkStatements } from "../../walk.js";
import { isUndefinedMessage } from "../../strict-rails.js";
import type { Rule, RuleInput } from "./rule.js";
import { hintForUndefinedFlow } from "./undefined-flow.js";

/** Flows that are called exist and take what they are given. At run time both can still change. */
export const calledFlows: Rule = (input) => {
  walkStatements(input.flow.body, (statement) => {
    for (const { group } of groupsOf(statement)) {
      const isValue = statement.kind === "Operation" && statement.isImplicit && statement.target !== undefined;
      const isStart = statement.kind !== "Operation" || statement.operator !== "match";
      for (const spec of specsOf(group)) {
        checkSpec(input, spec, isValue && spec === group);
        if (isStart && spec.members.length === 0) checkRegistered(input, spec);
      }
    }
  });
};

function checkSpec(input: RuleInput, { callee }: Spec, isValue: boolean): void {
  if (callee.kind === "NameCallee" && classifyName(callee.name.text, input.flows) === "action")
    checkAction(input, callee);
  if (callee.kind === "VariableCallee" || classifyName(callee.name.text, input.flows) !== "flow") return;
  const flow = input.flows.get(callee.name.text);
  if (flow) checkArguments(input, callee, flow);
  else reportUndefined(input, callee, isValue);
}

function reportUndefined(input: RuleInput, callee: NameCallee, isValue: boolean): void {
  const { flows, report, rails } = input;
  const { name } = callee;
  if (rails !== undefined && isUndefinedMessage(name.text, flows)) {
    const messages = [...flows.keys()].filter((id) => id.startsWith("bot "));
    const hint = didYouMean(name.text, messages) ?? "define it as a flow";
    const message = `message ${quoteText(name.text)} of a rail is not defined, so the rail speaks the default refusal`;
    report("C2-312", message, name.span, hint);
    return;
  }
  const hint = (): string => hintForUndefinedFlow(input, callee, isValue);
  report("C2-306", `flow ${quoteText(name.text)} is not defined`, name.span, hint);
}

function checkArguments(input: RuleInput, callee: NameCallee, flow: FlowDefinition): void {
  const given = callee.arguments;
  if (given.some(({ spread }) => spread !== undefined)) return;
  const positional = given.filter(({ name }) => name === undefined);
  const surplus = positional[flow.parameters.length];
  if (surplus) reportSurplus(input, flow, surplus);
  for (const argument of given) if (argument.name !== undefined) checkNamed(input, flow, argument, positional.length);
}

/** An argument under a name that the action does not take would be lost, and the action would judge nothing. */
function checkAction({ actions, report }: RuleInput, { name: action, arguments: given }: NameCallee): void {
  const accepted = actions?.acceptedBy(action.text);
  if (accepted === undefined) return;
  for (const { name, span } of given) {
    if (name === undefined || accepted.includes(name)) continue;
    const hint = didYouMeanOrTakes(name, accepted);
    const place = createSpan(span.source, span.start, span.start + name.length);
    report("C2-208", `action ${quoteText(action.text)} has no parameter ${quoteText(name)}`, place, hint);
  }
}

/** In a rail, an action that runs nowhere gives no verdict. Those with a modality, such as gestures, run in the application. */
function checkRegistered({ actions, flows, rails, report }: RuleInput, { callee }: Spec): void {
  if (rails === undefined || actions === undefined || callee.kind !== "NameCallee") return;
  const { text, span } = callee.name;
  if (classifyName(text, flows) !== "action" || modalityOf(text) !== undefined || actions.has(text)) return;
  const message = `no action is called ${quoteText(text)}, so nothing passes the rail`;
  report("C2-318", message, span, hintForAction(text, actions.names));
}

function reportSurplus({ report }: RuleInput, { id, parameters }: FlowDefinition, { span }: CallArgument): void {
  const count = parameters.length;
  const takes = count === 0 ? "no arguments" : count === 1 ? "1 argument" : `${count} arguments`;
  report("C2-305", `flow ${quoteText(id)} takes ${takes}`, span, "the flow that starts it would fail");
}

function checkNamed(
  { report }: RuleInput,
  { id, parameters }: FlowDefinition,
  { name = "", span }: CallArgument,
  positional: number,
): void {
  const at = parameters.findIndex((parameter) => parameter.name === name);
  if (at === -1) {
    const names = parameters.map((parameter) => `$${parameter.name}`);
    const hint = didYouMean(`$${name}`, names) ?? "the flow that starts it would fail";
    report("C2-305", `flow ${quoteText(id)} has no parameter ${quoteText(`$${name}`)}`, span, hint);
  } else if (at < positional) {
    const hint = "the flow that starts it would fail";
    report("C2-305", `flow ${quoteText(id)} is given ${quoteText(`$${name}`)} twice`, span, hint);
  }
}
