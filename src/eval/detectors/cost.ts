import { codeInjection } from "../../detectors/code-injection/code-injection.js";
import type { Detector } from "../../detectors/detector.js";
import { disguises } from "../../detectors/hygiene/disguises.js";
import { embeddedInstructions } from "../../detectors/instructions/embedded-instructions.js";
import { jailbreakPhrasing } from "../../detectors/jailbreak/jailbreak-phrasing.js";
import { exfiltration } from "../../detectors/links/exfiltration.js";
import { urls } from "../../detectors/links/urls.js";
import { personalData } from "../../detectors/personal-data/personal-data.js";
import { Scanner } from "../../detectors/scan/scanner.js";
import { secrets } from "../../detectors/secrets/secrets.js";
import { contextBloat } from "../../detectors/text/context-bloat.js";
import { language } from "../../detectors/text/language.js";
import { toxicWords } from "../../detectors/toxicity/toxic-words.js";
import { cleanDocuments } from "../samples/clean-documents.js";
import type { DetectorContext } from "./context.js";
import type { DetectorRow, DetectorSection } from "./result.js";
import { rowOf } from "./rows.js";

const PER_KIND = 5;
const PASSES = 30;
const THOUSAND = 1000;
const LENGTH = 500;
const EACH = 30;
/** 0.3 ms for 500 characters. */
const TOGETHER = 600;

/** Detector that finds nothing, and has texts read in all their views. */
const NOTHING: Detector = {
  name: "reading",
  rules: [{ name: "never", type: "NOTHING", score: 1, triggers: ["\0never"], find: () => undefined }],
};

/** Measures the time of detectors, individually without the shared reading of the text, and all together. */
export function evaluateCost({ seed, now }: DetectorContext): DetectorSection {
  const texts = cleanDocuments(PER_KIND, seed);
  const pieces = texts.map((text, index) =>
    `${text}\n\n${texts[index + 1] ?? ""}\n\n${texts[0] ?? ""}`.slice(0, LENGTH),
  );
  const detectors = [
    personalData(),
    secrets(),
    jailbreakPhrasing(),
    embeddedInstructions(),
    codeInjection(),
    exfiltration(),
    urls(),
    toxicWords(),
    disguises(),
    contextBloat(),
    language({ allow: ["en"] }),
  ];
  const reading = costOf([NOTHING], texts, now);
  const own = (detector: Detector): number => Math.max(0, costOf([detector, NOTHING], texts, now) - reading);
  const row = (name: string, cost: number, bound: number): DetectorRow =>
    rowOf({ detector: name, dataset: "generated", name: `${texts.length} documents`, cost, bounds: { cost: bound } });
  // Instructions in documents are no concern of a user's message.
  const ofInput = detectors.filter(({ name }) => name !== "embedded-instructions");
  return {
    title: "Cost",
    notes: [
      `CPU time of the best of ${PASSES} passes. Texts are read without their disguises once for all detectors (\`${NOTHING.name}\`); the cost of a detector is what it takes beyond that.`,
      `All together: pieces of ${LENGTH} characters with the reading, for which the bar is 0.3 ms.`,
    ],
    rows: [
      row(NOTHING.name, reading, EACH),
      ...detectors.map((detector) => row(detector.name, own(detector), EACH)),
      row("all of the input together", costOf(ofInput, pieces, now), TOGETHER),
    ],
    curves: [],
  };
}

/** Returns microseconds per 1,000 characters, of the fastest pass. */
function costOf(detectors: readonly Detector[], texts: readonly string[], now: () => number): number {
  const scanner = new Scanner(detectors);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  let best = Infinity;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const startedAt = now();
    for (const text of texts) scanner.scan(text);
    best = Math.min(best, now() - startedAt);
  }
  return (best * THOUSAND * THOUSAND) / characters;
}
