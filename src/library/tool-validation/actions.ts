import { defineAction } from "../../actions/define-action.js";
import { readToolSubject, refuseTool } from "../tool-subject.js";

/** Checks a tool and its arguments against the rules. */
export const checkToolCallAction = defineAction(
  { name: "check_tool_call", system: true, verdict: true },
  (_params, context) => {
    const { name, args, problem, rules, rule } = readToolSubject(context);
    if (rules?.allowed !== undefined && !rules.allowed.has(name)) return refuseTool(context, "the tool is not allowed");
    if (problem !== undefined) return refuseTool(context, problem);
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      return refuseTool(context, "the arguments cannot be read");
    }
    const mismatch = rule?.arguments?.(args);
    if (mismatch === undefined) return true;
    return refuseTool(context, `the arguments do not match the schema at \`${mismatch}\``);
  },
);

/** Checks the result of a tool against the rules. */
export const checkToolResultAction = defineAction(
  { name: "check_tool_result", system: true, verdict: true },
  (_params, context) => {
    const { result, problem, rule } = readToolSubject(context);
    if (problem !== undefined) return refuseTool(context, problem);
    const findMismatch = rule?.result;
    if (findMismatch === undefined) return true;
    const mismatch = findMismatch(readJson(result));
    if (mismatch === undefined || findMismatch(result) === undefined) return true;
    return refuseTool(context, `the result does not match the schema at \`${mismatch}\``);
  },
);

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
