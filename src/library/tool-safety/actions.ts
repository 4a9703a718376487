import type { ActionContext } from "../../actions/action.js";
import { defineAction } from "../../actions/define-action.js";
import { contextText } from "../context-text.js";
import { judge } from "../judge.js";
import { argumentOf, readToolSubject } from "../tool-subject.js";

const CALL_TASK = "tool_safety_check_output";
const RESULT_TASK = "tool_safety_check_input";

/** Asks a model whether the call may be made. */
export const judgeToolCallAction = defineAction(
  { name: CALL_TASK, system: true, verdict: true, parameters: ["argument", "variant"] },
  async ({ argument, variant }, context) => {
    const { name, args } = readToolSubject(context);
    const judged = typeof argument === "string" ? argumentOf(args, argument) : args;
    const text = JSON.stringify(judged) ?? "";
    const variables = (tool_arguments: string) => ({ ...common(name, context), tool_arguments });
    return (await judge()).isAllowed({ task: CALL_TASK, variant, text, variables }, context);
  },
);

/** Asks a model whether the result may be shown to the model that called the tool. */
export const judgeToolResultAction = defineAction(
  { name: RESULT_TASK, system: true, verdict: true, parameters: ["variant"] },
  async ({ variant }, context) => {
    const { name, result } = readToolSubject(context);
    const variables = (tool_result: string) => ({ ...common(name, context), tool_result });
    return (await judge()).isAllowed({ task: RESULT_TASK, variant, text: result, variables }, context);
  },
);

function common(tool_name: string, { context }: ActionContext): Readonly<Record<string, unknown>> {
  return { tool_name, user_input: contextText(context, "user_message", "last_user_message") };
}
