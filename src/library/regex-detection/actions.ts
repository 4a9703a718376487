import { ConfigError } from "../../diagnostics/errors.js";
import { patterns } from "../../detectors/text/patterns.js";
import { dropAction, findAction, prepareDetection } from "../detection.js";
import type { RailCode } from "../rail-manifest.js";

const RAIL = "regex-detection";

/** `rails.config.regex_detection.<source>`, with defaults filled in. */
interface PatternSettings {
  readonly patterns?: readonly string[];
  readonly case_insensitive?: boolean;
  readonly mask_token?: string;
}

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  detect_regex_pattern: findAction(RAIL),
  drop_chunks_with_regex_pattern: dropAction(RAIL),
};

/** Compiles the patterns of each source. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectorsOf(settings, source, { report }) {
    const { patterns: sources = [], case_insensitive: ignoreCase = false } = (settings[source] ??
      {}) as PatternSettings;
    return sources.flatMap((pattern, index) => {
      try {
        return [patterns({ patterns: [pattern], ignoreCase })];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        for (const { message, hint } of error.diagnostics) report({ path: [source, "patterns", index], message, hint });
        return [];
      }
    });
  },
});
