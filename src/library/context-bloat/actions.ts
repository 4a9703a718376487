import { contextBloat } from "../../detectors/text/context-bloat.js";
import { logOnce } from "../../diagnostics/logger.js";
import { andThen } from "../../engine/async.js";
import { findAction, prepareDetection } from "../detection.js";
import { railPart } from "../rail-code.js";
import type { RailCode, RailSettings } from "../rail-manifest.js";
import { rewriteSubject } from "../subject.js";

const RAIL = "context-bloat";

/** `rails.config.context_bloat_detection`, with defaults filled in. */
interface BloatSettings {
  readonly max_chars: number;
  readonly min_chars: number;
  readonly min_entropy: number;
  readonly max_repetition_ratio: number;
  readonly ngram_size: number;
  readonly max_run_ratio: number;
  readonly action: "reject" | "truncate" | "warn";
}

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  detect_context_bloat: findAction(RAIL),
  truncate_context_bloat: ({ source, text }, context) =>
    andThen(railPart<{ readonly settings: BloatSettings }>(context, RAIL), ({ settings }) =>
      rewriteSubject(source, context, text, { text: (passage) => passage.slice(0, settings.max_chars) }),
    ),
};

const prepareSearch = prepareDetection({
  rail: RAIL,
  reportsOnly: ({ action }) => action === "warn",
  notify(findings, source, { logger }) {
    for (const rule of new Set(findings.map((finding) => finding.rule))) {
      const message = `the rail \`context bloat detection on ${source}\` let a text pass that only fills the context (${rule}); decisions name each of them`;
      logOnce(logger, "warn", `context bloat ${source} ${rule}`, message);
    }
  },
  detectors(settings) {
    // The schema fills in all of them.
    const { max_chars, min_chars, min_entropy, max_repetition_ratio, ngram_size, max_run_ratio } =
      settings as unknown as BloatSettings;
    return [
      contextBloat({
        maxChars: max_chars,
        minChars: min_chars,
        minEntropy: min_entropy,
        maxRepetition: max_repetition_ratio,
        ngramSize: ngram_size,
        maxRun: max_run_ratio,
      }),
    ];
  },
});

/** Creates the detector, and returns the settings for truncation with it. */
export async function prepare(settings: RailSettings, tools: Parameters<typeof prepareSearch>[1]) {
  return { ...(await prepareSearch(settings, tools)), settings };
}
