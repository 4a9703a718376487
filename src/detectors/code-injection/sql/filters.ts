import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { isReadable } from "../../readable-view.js";

/** Characters before a filter that are read. */
const BEFORE = 64;
const OPERATOR =
  /\$(?:where["'\]]?\s{0,4}[:=]|(?:ne|gte?|nin|regex)(?:\]=|["']?\s{0,4}:\s{0,4}(?:["'](?:\.[*+]|\^)?["']|null|\[\s?\])))/iy;
/** Names of fields that no query of a program compares with nothing. */
const LOGIN = /\b(?:user_?(?:name)?|login|e?mail|pass(?:word|wd)?|pwd|token)["']?\s{0,4}:\s{0,4}\{\s{0,4}["']?$/i;

/** Operators of MongoDB that match anything, `{"$gt": ""}`, `name[$ne]=`, and filters of LDAP that end the one around them, `*)(uid=*`. */
export const FILTER_RULES: readonly TriggerRule[] = [
  {
    name: "document-filter",
    type: "SQL_INJECTION",
    score: 0.8,
    triggers: ["$where", "$ne", "$gt", "$nin", "$regex"],
    before: 0,
    find: findOperator,
    reach: 64,
  },
  {
    name: "directory-filter",
    type: "SQL_INJECTION",
    score: 0.8,
    triggers: [")("],
    before: 0,
    within: "line",
    find: findDirectoryFilter,
    reach: 64,
  },
];

function findOperator(view: TextView, start: number): RuleMatch | undefined {
  const { text } = view;
  const before = text.slice(Math.max(0, start - BEFORE), start);
  OPERATOR.lastIndex = start;
  if (!/[{["']\s{0,4}$/.test(before) || !OPERATOR.test(text)) return undefined;
  const end = OPERATOR.lastIndex;
  // Programs compare fields with `null`.
  if (/^\$ne[^\]]{0,8}:/i.test(text.slice(start, end)) && !LOGIN.test(before)) return undefined;
  return isReadable(view, start, end) ? { start, end } : undefined;
}

function findDirectoryFilter(view: TextView, start: number): RuleMatch | undefined {
  const { text } = view;
  const found = /^\)\(\s?(?:[|&!]\s?[()]|\w{1,32}\s?=\s?\*)/.exec(text.slice(start, start + 48))?.[0];
  if (found === undefined) return undefined;
  const before =
    text
      .slice(Math.max(0, start - BEFORE), start)
      .split("\n")
      .at(-1) ?? "";
  // A parenthesis that closes one is that of a whole filter.
  if (before.split("(").length > before.split(")").length) return undefined;
  const end = start + found.length;
  return isReadable(view, start, end) ? { start, end } : undefined;
}
