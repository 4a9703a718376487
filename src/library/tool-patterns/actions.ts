import type { ActionContext } from "../../actions/action.js";
import type { RailCode } from "../rail-manifest.js";
import { undoJsonEscapes } from "../../detectors/hygiene/decode/json-escapes.js";
import { DisguisedView, plainView } from "../../detectors/hygiene/views.js";
import type { Pattern } from "../../expressions/values/pattern.js";
import {
  argumentOf,
  joinedLists,
  partOfResult,
  readToolSubject,
  refuseTool,
  textsOf,
  textsOfResult,
} from "../tool-subject.js";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Searches the arguments, or the named argument, for forbidden patterns. */
  check_tool_call_patterns: ({ argument }, context) => {
    const { args, rules, rule } = readToolSubject(context);
    const patterns = [...(rules?.general.forbiddenInArguments ?? []), ...(rule?.forbiddenInArguments ?? [])];
    if (patterns.length === 0) return true;
    const part = argumentOf(args, argument);
    const texts = textsOf(part);
    if (texts === undefined) return refuseTool(context, "there is more in the arguments than can be looked through");
    return judgePatterns(patterns, [...texts, ...joinedLists(part, " "), ...joinedLists(part, "")], context);
  },

  /** Searches the result, or the named field of a result in JSON, for forbidden patterns. */
  check_tool_result_patterns: ({ argument }, context) => {
    const { result, rules, rule } = readToolSubject(context);
    const patterns = [...(rules?.general.forbiddenInResults ?? []), ...(rule?.forbiddenInResults ?? [])];
    if (patterns.length === 0) return true;
    return judgePatterns(patterns, textsOfResult(partOfResult(result, argument)), context);
  },
};

function judgePatterns(patterns: readonly Pattern[], texts: readonly string[], context: ActionContext): boolean {
  const views = texts.flatMap(viewsOf);
  const found = patterns.find((pattern) => views.some((text) => matches(pattern, text)));
  return found === undefined ? true : refuseTool(context, `the pattern \`${found.source.slice(0, 80)}\` was found`);
}

/** Returns a text, and the text without disguises: escapes of JSON, invisible characters, letters that look like others. */
function viewsOf(text: string): readonly string[] {
  const unescaped = undoJsonEscapes(text)?.text ?? text;
  const plain = plainView(new DisguisedView(unescaped)).text;
  return plain === text ? [text] : [text, plain];
}

/** INVARIANT: the search takes linear time, so texts need no length limit. */
function matches({ program }: Pattern, text: string): boolean {
  return program.matcher(text).find();
}
