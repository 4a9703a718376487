import { createSpan } from "../../../diagnostics/source-file.js";
import type { Argument } from "../../../expressions/ast.js";
import { resolveActionName } from "../../merge-definitions.js";
import type { Statement, StatementOf } from "../../ast.js";
import type { ProgramFacts } from "../program-facts.js";
import type { Report, Rule } from "./rule.js";
import { didYouMeanOrTakes, didYouMean } from "../../../diagnostics/suggestion.js";
import { describeUnavailableRail } from "../../../engine/unavailable-rails.js";
import { patternsOf } from "../../walk.js";

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

/** CO-211: an argument under a name that the action does not take would be lost, and the action would judge nothing. */
export const knownParameters: Rule = ({ input: { actions } }, report) => ({
  statement: (statement) => {
    if (statement.kind !== "Run" || !actions) return;
    const action = resolveActionName(statement.action.text, actions);
    const accepted = action && actions.acceptedBy?.(action.name);
    if (!action || !accepted) return;
    for (const { name, start } of statement.arguments) {
      if (name === undefined || accepted.includes(name)) continue;
      const span = createSpan(statement.span.source, start, start + name.length);
      const hint = didYouMeanOrTakes(name, accepted);
      report("CO-211", `action \`${action.name}\` has no parameter \`${name}\``, { span, hint });
    }
  },
});

/** CO-312: an action found by a name that is not quite its own, or not at all when all actions are known. */
export const looseActionNames: Rule = ({ input: { actions } }, report) => ({
  statement: (statement) => {
    if (statement.kind !== "Run" || !actions) return;
    const { text, span } = statement.action;
    const action = resolveActionName(text, actions);
    if (action?.loose) {
      const hint = `write \`${action.name}\``;
      report("CO-312", `action \`${text}\` is taken for \`${action.name}\``, { span, hint });
    } else if (!action && actions.complete) {
      const hint = didYouMean(text, actions.names ?? []) ?? "register it before it is used";
      report("CO-312", `no action is called \`${text}\``, { span, hint });
    }
  },
});

/** CO-204: `do name` needs a flow of that name. */
export const knownSubflows: Rule = ({ flowsById }, report) => ({
  statement: (statement) => {
    if (statement.kind !== "Call" || !statement.flow || flowsById.has(statement.flow.text)) return;
    const { text, span } = statement.flow;
    const { message, hint } = describeUnavailableRail(text) ?? {
      message: `unknown subflow \`${text}\``,
      hint: didYouMean(text, flowsById.keys()),
    };
    report("CO-204", message, { span, hint });
  },
});

const NEVER_MATCHED = new Set(["ContextUpdate", "StartInternalSystemAction"]);

/** CO-116: events that only the engine uses. */
export const usableEvents: Rule = (_facts, report) => ({
  statement: (statement) => {
    for (const pattern of patternsOf(statement)) {
      if (pattern.kind !== "EventPattern" || !NEVER_MATCHED.has(pattern.type.text)) continue;
      report("CO-116", `a flow cannot wait for \`${pattern.type.text}\``, {
        span: pattern.type.span,
        hint:
          pattern.type.text === "ContextUpdate"
            ? "read the variable in a condition instead"
            : "wait for `InternalSystemActionFinished`, or use the result of the action",
      });
    }
    if (statement.kind !== "Emit" || statement.type.text !== "StartInternalSystemAction") return;
    report("CO-116", "a flow cannot create `StartInternalSystemAction`", {
      span: statement.type.span,
      hint: "write `execute name` to run an action",
    });
  },
});
