import { language } from "../../detectors/text/language.js";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "language-check";

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "other languages");

/** Creates the detector for all stages. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors({ allow }) {
    const languages = (allow ?? []) as readonly string[];
    if (languages.length > 0) return [language({ allow: languages })];
    const hint = "list the languages that texts may have, such as `allow: [en]`";
    throw new ConfigError([createDiagnostic("CF-104", "the rail allows no language", { path: "options.allow", hint })]);
  },
});
