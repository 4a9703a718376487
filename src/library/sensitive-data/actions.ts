import {
  compromiseNames,
  type CompromiseLibrary,
  type LocalNameRecognizer,
} from "../../detectors/personal-data/names.js";
import type { OwnRecognizer } from "../../detectors/personal-data/own-recognizers.js";
import { personalData } from "../../detectors/personal-data/personal-data.js";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { detectionActions, prepareDetection, pseudonymiseAction } from "../detection.js";
import type { RailCode, RailSettings } from "../rail-manifest.js";
import type { Source } from "../subject.js";

const RAIL = "sensitive-data";

/** `rails.config.sensitive_data_detection.<source>` as it is after the schema. */
interface EntitySettings {
  readonly entities?: readonly string[];
  readonly score_threshold?: number;
}

/** Settings for all sources. */
interface SharedSettings {
  readonly recognizers?: readonly OwnRecognizer[];
  readonly allow?: readonly string[] | null;
  readonly names?: "compromise" | null;
}

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  ...detectionActions(RAIL, "sensitive data"),
  pseudonymise_sensitive_data: pseudonymiseAction(RAIL),
};

/** Makes the detector of each source; without entities nothing is looked for, as in NeMo Guardrails. */
export const prepare = prepareDetection({
  rail: RAIL,
  async detectorsOf(settings, source) {
    const { entities = [] } = settingsOf(settings, source);
    if (entities.length === 0) return [];
    const { recognizers = [], allow, names } = settings as SharedSettings;
    const options = { entities, recognizers, names: names === "compromise" ? await nameLibrary() : undefined };
    return [personalData(omitUndefined({ ...options, allow: allow ?? undefined }))];
  },
  threshold: (settings, source) => settingsOf(settings, source).score_threshold ?? 0.2,
});

function settingsOf(settings: RailSettings, source: Source): EntitySettings {
  return (settings[source] ?? {}) as EntitySettings;
}

/** The package is not a dependency of this one: it is taken from the application. */
const COMPROMISE: string = "compromise";

async function nameLibrary(): Promise<LocalNameRecognizer> {
  try {
    const { default: library } = (await import(COMPROMISE)) as { readonly default: CompromiseLibrary };
    return compromiseNames(library);
  } catch (cause) {
    const message = "the package `compromise`, which finds names, is not installed";
    const error = new ConfigError([createDiagnostic("CF-104", message, { hint: "run `npm install compromise`" })]);
    error.cause = cause;
    throw error;
  }
}
