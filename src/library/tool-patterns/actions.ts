import type { ActionContext } from "../../actions/action.js";
import { defineAction } from "../../actions/define-action.js";
import type { Pattern } from "../../expressions/values/pattern.js";
import { readToolSubject, refuseTool, textsOfArguments } from "../tool-subject.js";

/** Looks for forbidden patterns in the arguments, or in the one named. */
export const checkToolCallPatternsAction = defineAction(
  { name: "check_tool_call_patterns", system: true, verdict: true, parameters: ["argument"] },
  ({ argument }, context) => {
    const { args, rules, rule } = readToolSubject(context);
    const texts = textsOfArguments(args, typeof argument === "string" ? argument : undefined);
    if (texts === undefined) return refuseTool(context, "there is more in the arguments than can be looked through");
    const patterns = [...(rules?.general.forbiddenInArguments ?? []), ...(rule?.forbiddenInArguments ?? [])];
    return judgePatterns(patterns, texts, context);
  },
);

export const checkToolResultPatternsAction = defineAction(
  { name: "check_tool_result_patterns", system: true, verdict: true },
  (_params, context) => {
    const { result, rules, rule } = readToolSubject(context);
    const patterns = [...(rules?.general.forbiddenInResults ?? []), ...(rule?.forbiddenInResults ?? [])];
    return judgePatterns(patterns, [result], context);
  },
);

function judgePatterns(patterns: readonly Pattern[], texts: readonly string[], context: ActionContext): boolean {
  const found = patterns.find((pattern) => texts.some((text) => matches(pattern, text)));
  return found === undefined ? true : refuseTool(context, `the pattern \`${found.source.slice(0, 80)}\` was found`);
}

/** INVARIANT: of linear time, so that the length of a text needs no limit of its own. */
function matches({ program }: Pattern, text: string): boolean {
  return program.matcher(text).find();
}
