import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { isReadable } from "../../readable-view.js";
import { oncePerView } from "../../scan/per-view.js";
import { COMMANDS } from "./commands.js";
import { CODE_CALLS, SHELL_PHRASES } from "./phrases.js";
import { RESOURCES } from "./resources.js";

/** Characters of arguments that are read. */
const AFTER = 200;

/** Commands of shells that a value adds, and calls that run them from programs. */
export const SHELL_RULES: readonly TriggerRule[] = [
  {
    name: "shell-command",
    type: "SHELL_INJECTION",
    score: 0.85,
    triggers: [";", "|", "&", "$(", "`", "\n", "%0a"],
    before: 0,
    within: "line",
    find: findCommand,
    reach: 320,
  },
  ...SHELL_PHRASES.map(({ triggers, pattern }, index) =>
    phraseRule(`shell-phrase-${index + 1}`, triggers, pattern, 0.9),
  ),
  ...CODE_CALLS.map(({ triggers, pattern }, index) => phraseRule(`code-call-${index + 1}`, triggers, pattern, 0.8)),
  ...RESOURCES.map(({ triggers, pattern }, index) => phraseRule(`resource-${index + 1}`, triggers, pattern, 0.85)),
];

const COMMAND_NAME =
  /[ \t'"\\]{0,8}(?:sudo[ \t]{1,4})?(?:\/(?:usr\/)?s?bin\/|\.\/)?([a-z](?:(?:[a-z0-9'"\\]|\$[@*]){0,20}[a-z0-9])?(?:\.exe)?)(?![\w.:=-])/iy;
/** Files that attacks read. A line that reads another one is a line of a script. */
const SENSITIVE =
  /\/etc\/(?:passwd|shadow|hosts|sudoers|group)|\/proc\/self|\.ssh\b|\bid_rsa|\.env\b|win\.ini|\/root\/|\.aws\/|\.git\/config|\.htpasswd/i;

function findCommand(view: TextView, start: number, end: number): RuleMatch | undefined {
  const { text } = view;
  COMMAND_NAME.lastIndex = end;
  const written = COMMAND_NAME.exec(text)?.[1];
  if (written === undefined) return undefined;
  // Quotes, backslashes and `$@` within a command are how `c'a't` gets past a list.
  const name = written.replaceAll(/['"\\]|\$[@*]/g, "").toLowerCase();
  const isDangerous = COMMANDS.get(name);
  const stop = COMMAND_NAME.lastIndex;
  if (isDangerous === undefined || !isReadable(view, start, stop)) return undefined;
  const rest = text.slice(stop, stop + AFTER).split("\n", 1)[0] ?? "";
  if (text.charAt(start) === "\n" && !SENSITIVE.test(rest)) return undefined;
  return isDangerous(rest, mayBeBare(view, start)) ? { start, end: stop + argumentLength(rest) } : undefined;
}

/** Returns true for a separator after which a command without arguments counts: not in code of Markdown, nor in a table. */
function mayBeBare(view: TextView, start: number): boolean {
  const { text } = view;
  const separator = text.charAt(start);
  if (separator === "`" || separator === "\n") return false;
  if (separator === ";") return !isInList(view, start);
  const isOr = text.charAt(start - 1) === "|";
  return separator !== "|" || !/\|[^\n|]*$/.test(text.slice(Math.max(0, start - AFTER), isOr ? start - 1 : start));
}

/** Longest line that may be a list. */
const LONGEST_LIST = 160;

/** Line that was read last: a line is read once, however many semicolons it has. */
const lastLine = oncePerView(() => ({ start: -1, isList: false }));

/** Returns true for a semicolon in a line of single words that are not all commands: `id;name;date`. */
function isInList(view: TextView, at: number): boolean {
  const { text } = view;
  const from = Math.max(0, at - LONGEST_LIST);
  const start = from + text.slice(from, at).lastIndexOf("\n") + 1;
  const last = lastLine(view);
  if (last.start === start) return last.isList;
  last.start = start;
  const [line = ""] = text.slice(start, start + LONGEST_LIST).split("\n", 1);
  const isWhole = (start === 0 || text.charAt(start - 1) === "\n") && line.length < LONGEST_LIST;
  return (last.isList = isWhole && isList(line.split(";")));
}

function isList(fields: readonly string[]): boolean {
  return (
    fields.length > 3 &&
    fields.every((field) => /^\s{0,4}[\p{L}\d_-]{1,24}\s{0,4}$/u.test(field)) &&
    fields.slice(1).some((field) => !COMMANDS.has(field.trim().toLowerCase()))
  );
}

function argumentLength(rest: string): number {
  return /^[^;|&`)]{0,120}/.exec(rest)?.[0].trimEnd().length ?? 0;
}

function phraseRule(name: string, triggers: readonly string[], pattern: RegExp, score: number): TriggerRule {
  const find = (view: TextView, start: number): RuleMatch | undefined => {
    if (/\w/.test(view.text.charAt(start - 1)) && /\w/.test(view.text.charAt(start))) return undefined;
    pattern.lastIndex = start;
    return pattern.test(view.text) && isReadable(view, start, pattern.lastIndex)
      ? { start, end: pattern.lastIndex }
      : undefined;
  };
  return { name, type: "SHELL_INJECTION", score, triggers, before: 0, find, reach: 400 };
}
