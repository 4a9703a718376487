import { personalData } from "../../detectors/personal-data/personal-data.js";
import { detectionActions, prepareDetection } from "../detection.js";
import type { RailSettings } from "../rail-manifest.js";
import type { Source } from "../subject.js";

const RAIL = "sensitive-data";

/** `rails.config.sensitive_data_detection.<source>` as it is after the schema. */
interface EntitySettings {
  readonly entities?: readonly string[];
  readonly score_threshold?: number;
}

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "sensitive data");

/** Makes the detector of each source; without entities nothing is looked for, as in NeMo Guardrails. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectorsOf(settings, source) {
    const { entities = [] } = settingsOf(settings, source);
    return entities.length === 0 ? [] : [personalData({ entities })];
  },
  threshold: (settings, source) => settingsOf(settings, source).score_threshold ?? 0.2,
});

function settingsOf(settings: RailSettings, source: Source): EntitySettings {
  return (settings[source] ?? {}) as EntitySettings;
}
