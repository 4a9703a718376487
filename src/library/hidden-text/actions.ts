import { disguises } from "../../detectors/hygiene/disguises.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "hidden-text";

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "hidden text");

/** Makes the detector once for all stages; a mask removes what is hidden. */
export const prepare = prepareDetection({ rail: RAIL, detectors: () => [disguises()], replacement: "" });
