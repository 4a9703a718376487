import { didYouMean } from "../../diagnostics/suggestion.js";
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

const ACTION_HINT = "write `await <Name>Action()` to run an action";
const FLOW_HINT = "write `flow <name>`";
const ASSIGN_HINT = "write `$name = value`";
const LOOP_HINT = "repeat with `while <condition>`";
const BRANCH_HINT = "write `if <condition>` and `elif <condition>`";
const FAILURE_HINT = "await the flow in `when`, and write what follows its failure below `else`";

/** First words of statements of Colang 1.0 and of other languages, with hints on what to write instead. */
const FOREIGN_WORDS: ReadonlyMap<string, string> = new Map([
  ["execute", ACTION_HINT],
  ["exec", ACTION_HINT],
  ["do", "write `await <flow>`"],
  ["set", ASSIGN_HINT],
  ["let", ASSIGN_HINT],
  ["var", ASSIGN_HINT],
  ["const", ASSIGN_HINT],
  ["create", "write `send <Event>()` to send an event"],
  ["event", "write `match <Event>()` to wait for an event"],
  ["goto", LOOP_HINT],
  ["label", LOOP_HINT],
  ["until", LOOP_HINT],
  ["foreach", "write `for $item in $list`"],
  ["elseif", "write `elif <condition>`"],
  ["elsif", "write `elif <condition>`"],
  ["switch", BRANCH_HINT],
  ["case", BRANCH_HINT],
  ["try", FAILURE_HINT],
  ["except", FAILURE_HINT],
  ["catch", FAILURE_HINT],
  ["finally", FAILURE_HINT],
  ["raise", "write `abort` to let the flow fail"],
  ["throw", "write `abort` to let the flow fail"],
  ["def", FLOW_HINT],
  ["define", FLOW_HINT],
  ["function", FLOW_HINT],
  ["async", "write `start <flow>` to go on without waiting for its end"],
  ["from", "write `import <module>`; it brings all flows of the module"],
  ["include", "write `import <module>`"],
  ["null", "write `None`"],
  ["undefined", "write `None`"],
  ["nil", "write `None`"],
  ["true", "write `True`"],
  ["false", "write `False`"],
]);

const SHORTEST_MISTYPED_WORD = 3;

/**
 * Returns what to write instead of a first word that begins no statement: the counterpart of a word of another language, or
 * the nearest key word.
 */
export function hintForWord(word: string, keyWords: ReadonlySet<string> = STATEMENT_WORDS): string | undefined {
  const foreign = FOREIGN_WORDS.get(word);
  if (foreign !== undefined || keyWords.has(word) || word.length < SHORTEST_MISTYPED_WORD) return foreign;
  return didYouMean(word, keyWords);
}

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
