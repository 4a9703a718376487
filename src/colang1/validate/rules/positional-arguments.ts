import { createSpan } from "../../../diagnostics/span.js";
import type { Argument } from "../../../expressions/ast.js";
import { resolveActionName } from "../../action-names.js";
import type { Statement, StatementOf } from "../../ast.js";
import type { ProgramFacts } from "../program-facts.js";
import type { Report, Rule } from "./rule.js";

/** CO-205: an argument without a name gets one from the declared order, so there must be such an order. */
export const positionalArguments: Rule = (facts, report) => ({
  statement: (statement) => {
    if (statement.kind === "Emit") {
      const hint = "write `name=value`";
      for (const argument of unnamed(statement.arguments)) {
        reportAt(statement, argument, `a property of event \`${statement.type.text}\` needs a name`, hint, report);
      }
    } else if (statement.kind === "Run") checkRun(statement, facts, report);
    else if (statement.kind === "Call") checkCall(statement, facts, report);
  },
});

function checkRun(statement: StatementOf<"Run">, { input }: ProgramFacts, report: Report): void {
  const { actions } = input;
  const action = actions && resolveActionName(statement.action.text, actions);
  if (!action) return;
  const order = actions.parametersOf(action.name);
  for (const [index, argument] of unnamed(statement.arguments).entries()) {
    if (!order) {
      const message = `action \`${action.name}\` does not declare an order of its parameters`;
      reportAt(statement, argument, message, "write `name=value`, or declare the parameters of the action", report);
    } else if (index >= order.length) {
      reportAt(statement, argument, tooMany(`action \`${action.name}\``, order.length), undefined, report);
    }
  }
}

function checkCall(statement: StatementOf<"Call">, { flowsById }: ProgramFacts, report: Report): void {
  const callee = statement.flow && flowsById.get(statement.flow.text);
  if (statement.flow && !callee) return;
  const order = callee?.definition.parameters ?? [];
  for (const argument of unnamed(statement.arguments).slice(order.length)) {
    const who = callee ? `flow \`${callee.id}\`` : "a flow named by a variable";
    reportAt(statement, argument, tooMany(who, order.length), "write `name=value`", report);
  }
}

function tooMany(who: string, count: number): string {
  return `${who} declares ${count === 0 ? "no parameters" : count === 1 ? "one parameter" : `${count} parameters`}`;
}

function unnamed(given: readonly Argument[]): Argument[] {
  return given.filter((argument) => argument.name === undefined);
}

function reportAt(
  statement: Statement,
  argument: Argument,
  message: string,
  hint: string | undefined,
  report: Report,
): void {
  report("CO-205", message, { span: createSpan(statement.span.source, argument.start, argument.end), hint });
}
