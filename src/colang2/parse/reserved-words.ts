import type { Operator } from "../ast.js";

/** The operations; no flow name begins with one. */
const OPERATORS: ReadonlySet<string> = new Set<Operator>([
  "send",
  "match",
  "start",
  "stop",
  "await",
  "activate",
  "deactivate",
]);

export function isOperator(word: string): word is Operator {
  return OPERATORS.has(word);
}

/** Words that begin a statement. A flow whose name begins with one can only be called with an operation. */
export const STATEMENT_WORDS: ReadonlySet<string> = new Set([
  ...OPERATORS,
  ..."return abort break continue pass log print priority global if while for when import".split(" "),
]);

/** Words that end a name inside a group. */
export const GROUP_WORDS: ReadonlySet<string> = new Set(["and", "or", "as"]);

/** Words that are values; after the first word of a name they are arguments. */
export const CONSTANT_WORDS: ReadonlySet<string> = new Set(["None", "True", "False"]);

/** Members of a flow that can follow `.` after simple arguments. */
export const LIFECYCLE_MEMBERS: ReadonlySet<string> = new Set(
  "Start Started Stop Finish Finished Failed Pause Paused Resume Resumed Change Updated".split(" "),
);

const PARAMETER_UPDATED = /^\p{Lu}[\p{L}\p{N}_]*Updated$/u;

/**
 * Returns true if a name denotes an event in the life of a flow or an action.
 *
 * @example
 * ```ts
 * isLifecycleMember("ScriptUpdated"); // true
 * isLifecycleMember("upper"); // false
 * ```
 */
export function isLifecycleMember(name: string): boolean {
  return LIFECYCLE_MEMBERS.has(name) || PARAMETER_UPDATED.test(name);
}
