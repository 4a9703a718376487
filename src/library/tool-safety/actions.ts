import type { ActionContext } from "../../actions/action.js";
import type { RailCode } from "../rail-manifest.js";
import { contextText } from "../context-text.js";
import { judge } from "../judges/judge.js";
import { argumentOf, partOfResult, readToolSubject } from "../tool-subject.js";

const CALL_TASK = "tool_safety_check_output";
const RESULT_TASK = "tool_safety_check_input";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Asks a model whether the call may be made. */
  [CALL_TASK]: async ({ argument, variant }, context) => {
    const { name, args } = readToolSubject(context);
    const judged = typeof argument === "string" ? argumentOf(args, argument) : args;
    const text = JSON.stringify(judged) ?? "";
    const variables = (tool_arguments: string) => ({ ...common(name, context), tool_arguments });
    return (await judge()).isAllowed({ task: CALL_TASK, variant, text, variables }, context);
  },

  /** Asks a model whether the result may be shown to the model that called the tool. */
  [RESULT_TASK]: async ({ argument, variant }, context) => {
    const { name, result } = readToolSubject(context);
    const variables = (tool_result: string) => ({ ...common(name, context), tool_result });
    return (await judge()).isAllowed(
      { task: RESULT_TASK, variant, text: partOfResult(result, argument), variables },
      context,
    );
  },
};

function common(tool_name: string, { context }: ActionContext): Readonly<Record<string, unknown>> {
  return { tool_name, user_input: contextText(context, "user_message", "last_user_message") };
}
