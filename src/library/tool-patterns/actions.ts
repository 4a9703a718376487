import type { ActionContext } from "../../actions/action.js";
import type { RailCode } from "../rail-manifest.js";
import type { Pattern } from "../../expressions/values/pattern.js";
import { partOfResult, readToolSubject, refuseTool, textsOfArguments } from "../tool-subject.js";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Searches the arguments, or the named argument, for forbidden patterns. */
  check_tool_call_patterns: ({ argument }, context) => {
    const { args, rules, rule } = readToolSubject(context);
    const texts = textsOfArguments(args, typeof argument === "string" ? argument : undefined);
    if (texts === undefined) return refuseTool(context, "there is more in the arguments than can be looked through");
    const patterns = [...(rules?.general.forbiddenInArguments ?? []), ...(rule?.forbiddenInArguments ?? [])];
    return judgePatterns(patterns, texts, context);
  },

  check_tool_result_patterns: ({ argument }, context) => {
    const { result, rules, rule } = readToolSubject(context);
    const patterns = [...(rules?.general.forbiddenInResults ?? []), ...(rule?.forbiddenInResults ?? [])];
    return judgePatterns(patterns, [partOfResult(result, argument)], context);
  },
};

function judgePatterns(patterns: readonly Pattern[], texts: readonly string[], context: ActionContext): boolean {
  const found = patterns.find((pattern) => texts.some((text) => matches(pattern, text)));
  return found === undefined ? true : refuseTool(context, `the pattern \`${found.source.slice(0, 80)}\` was found`);
}

/** INVARIANT: the search takes linear time, so texts need no length limit. */
function matches({ program }: Pattern, text: string): boolean {
  return program.matcher(text).find();
}
