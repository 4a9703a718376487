import { RE2JS } from "re2js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { compilePattern, matchesOf } from "../compile-pattern.js";
import type { Detector, TextView } from "../detector.js";
import { optionError } from "../option-values.js";

/** Options of `patterns`. */
export interface PatternsOptions {
  /** Regular expressions in the syntax of RE2: linear time, without lookaround and backreferences. */
  readonly patterns: readonly string[];
  /** Capital and small letters are alike; default: false. */
  readonly ignoreCase?: boolean;
  /** Type of the findings; default: `PATTERN`. */
  readonly type?: string;
}

const OPTIONS: OptionTable<PatternsOptions> = { patterns: "names", ignoreCase: "boolean", type: "text" };

/**
 * A detector of regular expressions that users write. They run in linear time over the text without disguises of characters,
 * over this text without escapes of JSON, and over what encodings in it hold.
 *
 * @throws ConfigError for an empty list and for a pattern that does not compile, with its place in the list
 *
 * @example
 * ```ts
 * detect("project Orion", [patterns({ patterns: ["orion"], ignoreCase: true })]); // [{ type: "PATTERN", start: 8, end: 13, … }]
 * ```
 */
export function patterns(options: PatternsOptions): Detector {
  checkOptions("patterns", options, OPTIONS);
  const { patterns: sources, ignoreCase = false, type = "PATTERN" } = options ?? {};
  const place = { surface: "patterns", option: "patterns" };
  if (sources === undefined || sources.length === 0) throw optionError(place, "expected at least one pattern");
  const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
  const rules = sources.map((source, index) => {
    const program = compilePattern(source, flags, { ...place, option: `patterns.${index}` });
    return {
      name: `pattern-${index + 1}`,
      type,
      score: 1,
      views: "decoded" as const,
      scan: (view: TextView) => matchesOf(program, view.text),
    };
  });
  return { name: "patterns", rules };
}
