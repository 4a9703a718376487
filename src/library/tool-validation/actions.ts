import type { RailCode } from "../rail-manifest.js";
import { readJson, readToolSubject, refuseTool } from "../tool-subject.js";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Checks a tool and its arguments against the rules. */
  check_tool_call: (_params, context) => {
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

  /** Checks the result of a tool against the rules. */
  check_tool_result: (_params, context) => {
    const { result, problem, rule } = readToolSubject(context);
    if (problem !== undefined) return refuseTool(context, problem);
    const findMismatch = rule?.result;
    if (findMismatch === undefined) return true;
    const mismatch = findMismatch(readJson(result));
    if (mismatch === undefined || findMismatch(result) === undefined) return true;
    return refuseTool(context, `the result does not match the schema at \`${mismatch}\``);
  },
};
