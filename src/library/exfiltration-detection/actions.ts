import { exfiltration } from "../../detectors/links/exfiltration.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "exfiltration-detection";

/** `rails.config.exfiltration_detection`, with defaults filled in. */
interface ExfiltrationSettings {
  readonly allow?: readonly string[] | null;
  readonly images?: "all" | "data";
}

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "exfiltration");

/** Creates the detector for all stages. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors(settings) {
    const { allow, images } = settings as ExfiltrationSettings;
    return [exfiltration(omitUndefined({ allow: allow ?? undefined, images }))];
  },
});
