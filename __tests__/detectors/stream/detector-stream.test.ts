import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import {
  applyFindings,
  type Detector,
  detect,
  DetectorStream,
  personalData,
  Pseudonyms,
} from "../../../src/detectors/index.js";
import { propertyRuns } from "../../support/property-runs.js";
import { ALL_DETECTORS } from "../all-detectors.js";
import { FRAGMENTS, GLUE } from "../fragments.js";

const texts = fc
  .array(fc.tuple(fc.constantFrom(...FRAGMENTS), fc.constantFrom(...GLUE)), { maxLength: 120 })
  .map((pieces) => pieces.flat().join(""));
const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 300 })), {
  minLength: 1,
  maxLength: 30,
});

function* chunksOf(text: string, lengths: readonly number[]): Generator<string> {
  for (let at = 0, index = 0; at < text.length; index++) {
    const length = lengths[index % lengths.length] ?? 1;
    yield text.slice(at, at + length);
    at += length;
  }
}

function stream(text: string, lengths: readonly number[], detectors: readonly Detector[]) {
  const detector = new DetectorStream(detectors, { treatments: {}, otherwise: "mask" });
  const parts = [...chunksOf(text, lengths)].map((chunk) => detector.push(chunk));
  parts.push(detector.finish());
  return { text: parts.map((part) => part.text).join(""), findings: parts.flatMap(({ findings }) => findings) };
}

function whole(text: string, detectors: readonly Detector[]) {
  return {
    text: applyFindings(text, detect(text, detectors, { overlaps: true })).text,
    findings: detect(text, detectors),
  };
}

describe("DetectorStream", () => {
  it.each(ALL_DETECTORS)("finds and masks with %s the same as a scan of the whole text", (_, detector) => {
    fc.assert(
      fc.property(texts, sizes, (text, lengths) => {
        expect(stream(text, lengths, [detector])).toEqual(whole(text, [detector]));
      }),
      { numRuns: propertyRuns(10) },
    );
  });

  it("finds and masks the same with all detectors at once", () => {
    const detectors = ALL_DETECTORS.map(([, detector]) => detector);
    fc.assert(
      fc.property(texts, sizes, (text, lengths) => {
        expect(stream(text, lengths, detectors)).toEqual(whole(text, detectors));
      }),
      { numRuns: propertyRuns(10) },
    );
  });

  it("gives the same pseudonyms as for the whole text", () => {
    fc.assert(
      fc.property(texts, sizes, (text, lengths) => {
        const detectors = [personalData()];
        const pseudonyms = new Pseudonyms();
        const detector = new DetectorStream(detectors, { otherwise: "pseudonymise", pseudonyms });
        let streamed = "";
        for (const chunk of chunksOf(text, lengths)) streamed += detector.push(chunk).text;
        streamed += detector.finish().text;
        expect(streamed).toBe(new Pseudonyms().replace(text, detect(text, detectors, { overlaps: true })));
        expect(pseudonyms.restore(streamed)).toBe(text);
      }),
      { numRuns: propertyRuns(10) },
    );
  });
});
