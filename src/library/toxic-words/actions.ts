import { toxicWords, type ToxicSeverity } from "../../detectors/toxicity/toxic-words.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "toxic-words";

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "toxic words");

/** Creates the detector for all stages. */
export const prepare = prepareDetection({
  rail: RAIL,
  // The schema has checked the severities.
  detectors: ({ severity }) => [toxicWords({ severity: severity as ToxicSeverity })],
});
