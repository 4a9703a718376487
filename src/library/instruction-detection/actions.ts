import { embeddedInstructions } from "../../detectors/instructions/embedded-instructions.js";
import { detectionActions, prepareDetection } from "../detection.js";

const RAIL = "instruction-detection";

/** Actions of the rail. */
export const actions = detectionActions(RAIL, "instructions");

/** Creates a detector for documents and one for tool results, so that findings name the origin of the text. */
export const prepare = prepareDetection({
  rail: RAIL,
  detectorsOf(_settings, source) {
    if (source === "retrieval") return [embeddedInstructions({ origin: "document" })];
    return source === "tool_input" ? [embeddedInstructions({ origin: "tool" })] : [];
  },
});
