import type { RuleMatch, TextView, TriggerRule } from "../detector.js";
import { isBoundaryBefore, isWordCharacter } from "./boundaries.js";
import { isPlaceholder } from "./placeholders.js";

/** Format of the keys of one service, recognised by a fixed part of them. */
export interface KeyFormat {
  /** Family in kebab case, which is the name of the rule: `github-token`. */
  readonly name: string;
  /** Lower-case literals that stand at the start of each key, or `before` characters after it; default: the literal start of `pattern`. */
  readonly triggers?: readonly string[];
  /**
   * Regular expression of a whole key, of bounded length; it is matched where the key starts and must end where no letter or
   * digit follows. Written as text, since words of keys are not words of a language.
   */
  readonly pattern: string;
  /** Number of characters of the key before its trigger; default: 0. */
  readonly before?: number;
  /** Number of characters at the start that each key has, so that a run of equal ones there is no placeholder; default: 0. */
  readonly fixed?: number;
  /** Returns false for a text of the right form that cannot be a key, for example with a wrong check sum. */
  readonly isValid?: (key: string) => boolean;
  /** Certainty between 0 and 1; default: 0.95. */
  readonly score?: number;
  /** Words near a key that raise its certainty. */
  readonly context?: readonly string[];
  /** Longest key in characters; default: 256. */
  readonly reach?: number;
}

/** Start of a pattern that stands for itself. */
const LITERAL = /^(?:[\w~@:/=-]|\\\.)+/;

/** Returns the rule of a format of keys. */
export function ruleOfFormat(format: KeyFormat, isAllowed: (value: string) => boolean): TriggerRule {
  const { name, before = 0, fixed = 0, isValid, score = 0.95, context, reach } = format;
  const [literal = ""] = LITERAL.exec(format.pattern) ?? [];
  const triggers = format.triggers ?? [literal.replaceAll("\\", "").toLowerCase()];
  const pattern = new RegExp(format.pattern, "y");
  const find = ({ text }: TextView, start: number): RuleMatch | undefined => {
    const from = start - before;
    if (from < 0 || !isBoundaryBefore(text, from)) return undefined;
    pattern.lastIndex = from;
    const key = pattern.exec(text)?.[0];
    if (key === undefined || isWordCharacter(text, from + key.length)) return undefined;
    if (isPlaceholder(key.slice(fixed)) || isValid?.(key) === false || isAllowed(key)) return undefined;
    return { start: from, end: from + key.length };
  };
  const extra = { ...(context === undefined ? {} : { context }), ...(reach === undefined ? {} : { reach }) };
  return { name, type: "SECRET", score, triggers, before, within: "word", find, ...extra };
}
