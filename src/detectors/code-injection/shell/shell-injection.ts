import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { isReadable } from "../../readable-view.js";
import { COMMANDS } from "./commands.js";
import { CODE_CALLS, SHELL_PHRASES } from "./phrases.js";

/** Characters of arguments that are read. */
const AFTER = 200;

/** Commands of shells that a value adds, and calls that run them from programs. */
export const SHELL_RULES: readonly TriggerRule[] = [
  {
    name: "shell-command",
    type: "SHELL_INJECTION",
    score: 0.85,
    triggers: [";", "|", "&", "$(", "`", "\n", "%0a"],
    find: findCommand,
    reach: 320,
  },
  ...SHELL_PHRASES.map(({ triggers, pattern }, index) =>
    phraseRule(`shell-phrase-${index + 1}`, triggers, pattern, 0.9),
  ),
  ...CODE_CALLS.map(({ triggers, pattern }, index) => phraseRule(`code-call-${index + 1}`, triggers, pattern, 0.8)),
];

const COMMAND_NAME =
  /[\s'"\\]{0,8}(?:sudo\s{1,4})?(?:\/(?:usr\/)?s?bin\/|\.\/)?([a-z][a-z0-9'"\\]{0,20}(?:\.exe)?)(?![\w.:=-])/iy;

function findCommand(view: TextView, start: number, end: number): RuleMatch | undefined {
  const { text } = view;
  if (text.charCodeAt(start) === 10 && !isShortValue(view, start)) return undefined;
  COMMAND_NAME.lastIndex = end;
  const written = COMMAND_NAME.exec(text)?.[1];
  if (written === undefined) return undefined;
  // Quotes and backslashes within a command are how `c'a't` gets past a list.
  const name = written.replaceAll(/['"\\]/g, "").toLowerCase();
  const isDangerous = COMMANDS.get(name);
  if (isDangerous === undefined || !isReadable(view)) return undefined;
  const stop = COMMAND_NAME.lastIndex;
  const rest = text.slice(stop, stop + AFTER).split("\n", 1)[0] ?? "";
  const isShort = isShortValue(view, start);
  return isDangerous(rest, isShort) ? { start, end: stop + argumentLength(rest) } : undefined;
}

/** Returns true for a separator in a value of one or two lines, rather than in a document. */
function isShortValue({ text }: TextView, start: number): boolean {
  return text.length <= 400 && !/\n[\s\S]*\n/.test(text) && start < 400;
}

function argumentLength(rest: string): number {
  return /^[^;|&`)]{0,120}/.exec(rest)?.[0].trimEnd().length ?? 0;
}

function phraseRule(name: string, triggers: readonly string[], pattern: RegExp, score: number): TriggerRule {
  const find = (view: TextView, start: number): RuleMatch | undefined => {
    if (/\w/.test(view.text.charAt(start - 1)) && /\w/.test(view.text.charAt(start))) return undefined;
    pattern.lastIndex = start;
    return pattern.test(view.text) && isReadable(view) ? { start, end: pattern.lastIndex } : undefined;
  };
  return { name, type: "SHELL_INJECTION", score, triggers, find };
}
