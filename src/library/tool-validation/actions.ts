import type { ActionDefinition } from "../../actions/action.js";
import { defineAction } from "../../actions/define-action.js";
import { readToolSubject, refuseTool } from "../tool-subject.js";

/** Whether a tool may be called with these arguments, by the rules. */
export const checkToolCallAction: ActionDefinition = defineAction(
  { name: "check_tool_call", system: true, verdict: true },
  (_params, context) => {
    const { name, args, problem, rules, rule } = readToolSubject(context);
    if (rules?.allowed !== undefined && !rules.allowed.has(name)) return refuseTool(context, "the tool is not allowed");
    if (problem !== undefined) return refuseTool(context, problem);
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      return refuseTool(context, "the arguments cannot be read");
    }
    const misfit = rule?.arguments?.(args);
    if (misfit === undefined) return true;
    return refuseTool(context, `the arguments do not fit the schema at \`${misfit}\``);
  },
);

/** Whether a result is what the tool may answer, by the rules. */
export const checkToolResultAction: ActionDefinition = defineAction(
  { name: "check_tool_result", system: true, verdict: true },
  (_params, context) => {
    const { result, problem, rule } = readToolSubject(context);
    if (problem !== undefined) return refuseTool(context, problem);
    const findMisfit = rule?.result;
    if (findMisfit === undefined) return true;
    const misfit = findMisfit(readJson(result));
    if (misfit === undefined || findMisfit(result) === undefined) return true;
    return refuseTool(context, `the result does not fit the schema at \`${misfit}\``);
  },
);

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
