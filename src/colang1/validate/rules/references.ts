import { hintForAction } from "../../../engine/events.js";
import { quoteText } from "../../../diagnostics/diagnostic.js";
import { createSpan } from "../../../diagnostics/source-file.js";
import type { Argument } from "../../../expressions/ast.js";
import { resolveActionName } from "../../merge-definitions.js";
import type { Statement, StatementOf } from "../../ast.js";
import type { Rule } from "./rule.js";
import { didYouMeanOrTakes, didYouMean } from "../../../diagnostics/suggestion.js";

/** CO-205: an argument without a name gets one from the declared order, so there must be such an order. */
export const positionalArguments: Rule = ({ input: { actions }, flowsById }, report) => {
  const refuse = ({ span }: Statement, { start, end }: Argument, message: string, hint?: string): void =>
    report("CO-205", message, { span: createSpan(span.source, start, end), hint });
  return {
    Emit: (statement) => {
      const message = `a property of event \`${statement.type.text}\` needs a name`;
      for (const argument of unnamed(statement)) refuse(statement, argument, message, "write `name=value`");
    },
    Run: (statement) => {
      const action = actions && resolveActionName(statement.action.text, actions);
      if (!action) return;
      const order = actions.parametersOf(action.name);
      for (const argument of unnamed(statement).slice(order?.length ?? 0)) {
        if (order) refuse(statement, argument, tooMany(`action \`${action.name}\``, order.length));
        else {
          const message = `action \`${action.name}\` does not declare an order of its parameters`;
          refuse(statement, argument, message, "write `name=value`, or declare the parameters of the action");
        }
      }
    },
    Call: (statement) => {
      const callee = statement.flow && flowsById.get(statement.flow.text);
      if (statement.flow && !callee) return;
      const { length } = callee?.definition.parameters ?? [];
      const message = tooMany(callee ? `flow \`${callee.id}\`` : "a flow named by a variable", length);
      for (const argument of unnamed(statement).slice(length)) {
        refuse(statement, argument, message, "write `name=value`");
      }
    },
  };
};

function tooMany(callee: string, count: number): string {
  return `${callee} declares ${count === 0 ? "no parameters" : count === 1 ? "one parameter" : `${count} parameters`}`;
}

function unnamed(statement: StatementOf<"Emit" | "Run" | "Call">): Argument[] {
  return statement.arguments.filter((argument) => argument.name === undefined);
}

/** CO-211: an argument under a name that the action does not take would be lost, and the action would judge nothing. */
export const knownParameters: Rule = ({ input: { actions } }, report) => ({
  Run: (statement) => {
    const action = actions && resolveActionName(statement.action.text, actions);
    const accepted = action && actions.acceptedBy?.(action.name);
    if (!accepted) return;
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
  Run: ({ action: { text, span } }) => {
    if (!actions) return;
    const action = resolveActionName(text, actions);
    if (action?.loose) {
      const hint = `write \`${action.name}\``;
      report("CO-312", `action \`${text}\` is taken for \`${action.name}\``, { span, hint });
    } else if (!action && actions.complete) {
      report("CO-312", `no action is called \`${text}\``, { span, hint: hintForAction(text, actions.names) });
    }
  },
});

/** CO-204: `do name` needs a flow of that name. */
export const knownSubflows: Rule = ({ flowsById, input }, report) => ({
  Call: ({ flow }) => {
    if (!flow || flowsById.has(flow.text)) return;
    const { text, span } = flow;
    const near = didYouMean(text, [...flowsById.keys(), ...(input.otherFlows ?? [])]);
    const hint = near ?? `define it: ${quoteText(`define subflow ${text}`)}`;
    report("CO-204", `unknown subflow \`${text}\``, { span, hint });
  },
});

const NEVER_MATCHED: ReadonlyMap<string, string> = new Map([
  ["ContextUpdate", "read the variable in a condition instead"],
  ["StartInternalSystemAction", "wait for `InternalSystemActionFinished`, or use the result of the action"],
]);

/** CO-116: events that only the engine uses. */
export const usableEvents: Rule = (_facts, report) => ({
  EventPattern: ({ type: { text, span } }) => {
    const hint = NEVER_MATCHED.get(text);
    if (hint !== undefined) report("CO-116", `a flow cannot wait for \`${text}\``, { span, hint });
  },
  Emit: ({ type: { text, span } }) => {
    if (text !== "StartInternalSystemAction") return;
    const hint = "write `execute name` to run an action";
    report("CO-116", "a flow cannot create `StartInternalSystemAction`", { span, hint });
  },
});
