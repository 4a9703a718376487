import { detect } from "../../../src/detectors/scan/detect.js";
import { textOf } from "../../../src/detectors/finding.js";
import { personalData, type PersonalDataOptions } from "../../../src/detectors/personal-data/personal-data.js";

/** Returns types and texts of the personal data in a text. */
export function found(text: string, options: PersonalDataOptions = {}): (readonly [type: string, text: string])[] {
  return detect(text, [personalData(options)]).map((finding) => [finding.type, textOf(finding, text)]);
}
