import { RE2JS } from "re2js";
import type { Detector, RuleMatch, TextView } from "../detector.js";

/** Options of `patterns`. */
export interface PatternsOptions {
  /** Regular expressions in the syntax of RE2: linear time, without lookaround and backreferences. */
  readonly patterns: readonly string[];
  /** Capital and small letters are alike; default: false. */
  readonly ignoreCase?: boolean;
  /** Type of the findings; default: `PATTERN`. */
  readonly type?: string;
}

/**
 * A detector of regular expressions that users write. They run in linear time over the text without disguises.
 *
 * @throws SyntaxError for a pattern that cannot be compiled, with its position in the list
 *
 * @example
 * ```ts
 * detect("project Orion", [patterns({ patterns: ["orion"], ignoreCase: true })]); // [{ type: "PATTERN", start: 8, end: 13, … }]
 * ```
 */
export function patterns({ patterns: sources, ignoreCase = false, type = "PATTERN" }: PatternsOptions): Detector {
  const rules = sources.map((source, index) => {
    const program = compile(source, index, ignoreCase);
    return {
      name: `pattern-${index + 1}`,
      type,
      score: 1,
      views: "plain" as const,
      scan: (view: TextView) => matchesOf(program, view.text),
    };
  });
  return { name: "patterns", rules };
}

function compile(source: string, index: number, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "";
    throw new SyntaxError(`pattern ${index + 1}, \`${source.slice(0, 80)}\`, cannot be read: ${reason}`, { cause });
  }
}

function* matchesOf(program: RE2JS, text: string): Generator<RuleMatch> {
  const matcher = program.matcher(text);
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (end > start) yield { start, end };
  }
}
