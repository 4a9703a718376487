import { disguises } from "../../detectors/hygiene/disguises.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "hidden-text";

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "hidden text");

/** Creates the detector for all stages; masking removes hidden text. */
export const prepare = prepareDetection({ rail: RAIL, detectors: () => [disguises()], replacement: "" });
