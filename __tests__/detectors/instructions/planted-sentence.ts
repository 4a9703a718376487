import { detect, embeddedInstructions } from "../../../src/detectors/index.js";

/**
 * Returns a test of sentences: true if a finding overlaps the sentence where it stands in a document.
 *
 * @param before - the document before the sentence
 * @param after - the document after it
 */
export function foundBetween(before: string, after: string): (sentence: string) => boolean {
  return (sentence) => {
    const start = before.length + 1;
    const findings = detect(`${before}\n${sentence}\n${after}`, [embeddedInstructions()]);
    return findings.some((finding) => finding.start < start + sentence.length && finding.end > start);
  };
}
