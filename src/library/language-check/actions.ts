import { language } from "../../detectors/text/language.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "language-check";

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "other languages");

/** Creates the detector for all stages. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectors: ({ allow }) => [language({ allow: (allow ?? []) as readonly string[] })],
});
