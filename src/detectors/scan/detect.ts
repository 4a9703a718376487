import type { Detector } from "../detector.js";
import type { Finding } from "../finding.js";
import { Scanner, type ScannerOptions } from "./scanner.js";

/**
 * Returns the findings of some detectors in a text. A `Scanner` that is kept saves its construction where many texts are read.
 *
 * @example
 * ```ts
 * detect("mail ada@example.org", [personalData()]); // [{ type: "EMAIL_ADDRESS", start: 5, end: 20, … }]
 * ```
 */
export function detect(text: string, detectors: readonly Detector[], options?: ScannerOptions): readonly Finding[] {
  return new Scanner(detectors, options).scan(text);
}
