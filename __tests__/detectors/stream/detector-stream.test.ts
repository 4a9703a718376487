import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import {
  applyFindings,
  type ApplyOptions,
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
const treatments = fc.constantFrom<ApplyOptions>(
  { otherwise: "mask" },
  { otherwise: "report" },
  { otherwise: { replace: "[removed]" } },
  { otherwise: { replace: "" } },
  {
    otherwise: "mask",
    treatments: { EMAIL_ADDRESS: { replace: "#" }, PHONE_NUMBER: "report", SECRET: { replace: "" } },
  },
);
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

function stream(text: string, lengths: readonly number[], detectors: readonly Detector[], options: ApplyOptions) {
  const detector = new DetectorStream(detectors, options);
  const parts = [...chunksOf(text, lengths)].map((chunk) => detector.push(chunk));
  parts.push(detector.finish());
  return { text: parts.map((part) => part.text).join(""), findings: parts.flatMap(({ findings }) => findings) };
}

function whole(text: string, detectors: readonly Detector[], options: ApplyOptions) {
  return {
    text: applyFindings(text, detect(text, detectors, { overlaps: true }), options).text,
    findings: detect(text, detectors),
  };
}

describe("DetectorStream", () => {
  it.each(ALL_DETECTORS)("finds and treats with %s the same as a scan of the whole text", (_, detector) => {
    fc.assert(
      fc.property(texts, sizes, treatments, (text, lengths, options) => {
        expect(stream(text, lengths, [detector], options)).toEqual(whole(text, [detector], options));
      }),
      { numRuns: propertyRuns(10) },
    );
  });

  it("finds and masks the same with all detectors at once", () => {
    const detectors = ALL_DETECTORS.map(([, detector]) => detector);
    fc.assert(
      fc.property(texts, sizes, treatments, (text, lengths, options) => {
        expect(stream(text, lengths, detectors, options)).toEqual(whole(text, detectors, options));
      }),
      { numRuns: propertyRuns(10) },
    );
  });

  it.each(ALL_DETECTORS)("releases nothing of a text from the first finding of %s that blocks", (_, detector) => {
    fc.assert(
      fc.property(texts, sizes, (text, lengths) => {
        const blocking = new DetectorStream([detector], { otherwise: "block" });
        let released = "";
        for (const chunk of chunksOf(text, lengths)) released += blocking.push(chunk).text;
        released += blocking.finish().text;
        const first = Math.min(...detect(text, [detector]).map(({ start }) => start));
        expect(blocking.isBlocked).toBe(first !== Infinity);
        expect(text.slice(0, first === Infinity ? text.length : first).startsWith(released)).toBe(true);
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
