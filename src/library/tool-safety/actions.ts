import type { ActionContext } from "../../actions/action.js";
import type { RailCode } from "../rail-manifest.js";
import { readOwn } from "../../engine/plain-data.js";
import { contextText } from "../context-text.js";
import { judge } from "../judges/judge.js";
import { partOfArguments, partOfResult, readToolSubject } from "../tool-subject.js";

const CALL_TASK = "tool_safety_check_output";
const RESULT_TASK = "tool_safety_check_input";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Asks a model if the call is safe. */
  [CALL_TASK]: async ({ argument, model, variant }, context) => {
    const { name, args } = readToolSubject(context);
    const text = JSON.stringify(partOfArguments(args, argument)) ?? "";
    const variables = (tool_arguments: string) => ({ ...common(name, context), tool_arguments });
    const check = { task: CALL_TASK, modelType: textOf(model), variant, text, variables };
    return (await judge()).isAllowed(check, context);
  },

  /** Asks a model if the result is safe for the model that called the tool. */
  [RESULT_TASK]: async ({ argument, model, variant }, context) => {
    const { name, result } = readToolSubject(context);
    const variables = (tool_result: string) => ({ ...common(name, context), tool_result });
    const text = partOfResult(result, argument);
    const check = { task: RESULT_TASK, modelType: textOf(model), variant, text, variables };
    return (await judge()).isAllowed(check, context);
  },
};

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `rails.config.tool_safety`; absent if the configuration has none. */
interface ToolSafetySettings {
  readonly policies: readonly string[];
  readonly per_tool: Readonly<Record<string, { readonly policies: readonly string[] }>>;
}

function common(tool_name: string, { context, config }: ActionContext): Readonly<Record<string, unknown>> {
  const settings = readOwn(config.rails.config, "tool_safety") as ToolSafetySettings | undefined;
  const own =
    settings === undefined ? undefined : (readOwn(settings.per_tool, tool_name) as ToolSafetySettings | undefined);
  const policies = [...(settings?.policies ?? []), ...(own?.policies ?? [])];
  return { tool_name, policies, user_input: contextText(context, "user_message", "last_user_message") };
}
