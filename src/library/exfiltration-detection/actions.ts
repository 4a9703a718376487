import { exfiltration } from "../../detectors/links/exfiltration.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "exfiltration-detection";

/** `rails.config.exfiltration_detection` as it is after the schema. */
interface ExfiltrationSettings {
  readonly allow?: readonly string[] | null;
  readonly images?: "all" | "data";
}

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "exfiltration");

/** Makes the detector once for all stages. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors(settings) {
    const { allow, images } = settings as ExfiltrationSettings;
    return [exfiltration(omitUndefined({ allow: allow ?? undefined, images }))];
  },
});
