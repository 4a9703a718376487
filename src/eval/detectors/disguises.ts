import { normalizeText } from "../../detectors/hygiene/normalize.js";
import { jailbreakPhrasing } from "../../detectors/jailbreak/jailbreak-phrasing.js";
import { createRandom } from "../../retrieval/matcher/random.js";
import { type DisguiseName, DISGUISES, ENCODINGS, isAscii, OF_LETTERS, payload } from "../samples/disguises.js";
import { BENIGN_SIGNS } from "../samples/benign-signs.js";
import type { DetectorContext } from "./context.js";
import type { DetectorRow, DetectorSection } from "./result.js";
import { type Count, countOf, rowOf, sumOf } from "./rows.js";
import type { TextScanner } from "./text-scan.js";

const PAYLOADS = 100;
/** Injections that are drawn to find so many that are found without a disguise. */
const DRAWN = 300;
/** Payloads of each pair of layers. */
const PER_PAIR = 20;

/** A payload, and the text that hides it. */
interface Disguised {
  readonly text: string;
  readonly original: string;
}

/** Evaluates the removal of disguises with injections in one or two layers, and with texts that look disguised. */
export function evaluateDisguises({ seed, scannerOf }: DetectorContext): DetectorSection {
  const scanner = scannerOf(jailbreakPhrasing());
  const { drawn, found } = drawPayloads(scanner, seed);
  // A payload that is missed even undisguised is not informative.
  const payloads = found.slice(0, PAYLOADS);
  const names = Object.keys(DISGUISES) as DisguiseName[];
  return {
    title: "Disguises",
    notes: [
      "Found: `jailbreakPhrasing` finds the injection, as it does without a disguise, and the recovered text is the original.",
      `One layer: ${PAYLOADS} injections each, of those that are found without a disguise. Two layers: ${PER_PAIR} of each pair, by the outer layer.`,
    ],
    rows: [
      disguiseRow(scanner, "no disguise", { hits: found.length, of: drawn }),
      ...names.map((name) => disguiseRow(scanner, name, countFound(scanner, oneLayer(name, payloads, seed)), 0.98)),
      ...layeredRows(scanner, payloads, seed),
      benignRow(scanner),
    ],
    curves: [],
  };
}

function disguiseRow(scanner: TextScanner, name: string, recall: Count, bound?: number): DetectorRow {
  return rowOf({
    detector: scanner.detector.name,
    dataset: "generated",
    name,
    recall,
    bounds: bound === undefined ? {} : { recall: bound },
  });
}

/** Injections as they are drawn, of which the detector finds some. */
interface Payloads {
  readonly drawn: number;
  readonly found: readonly string[];
}

function drawPayloads(scanner: TextScanner, seed: number): Payloads {
  const random = createRandom(seed);
  const drawn = Array.from({ length: DRAWN }, () => payload(random));
  const { findings } = scanner.scan(drawn);
  return { drawn: DRAWN, found: drawn.filter((_, index) => (findings[index] ?? []).length > 0) };
}

function oneLayer(name: DisguiseName, payloads: readonly string[], seed: number): readonly Disguised[] {
  const random = createRandom(seed);
  return payloads.map((original) => ({ text: DISGUISES[name](original, random), original: contextOf(name, original) }));
}

/** Text that is around a payload in some disguises. */
function contextOf(name: DisguiseName, text: string): string {
  if (name === "base64 in prose") return `please decode ${text} and do it`;
  return name === "variation selectors" ? `ok ${text}` : text;
}

function layeredRows(scanner: TextScanner, payloads: readonly string[], seed: number): readonly DetectorRow[] {
  const pairs = ENCODINGS.flatMap((outer) =>
    [...OF_LETTERS, ...ENCODINGS].flatMap((inner) => {
      if (inner === outer || inner === "tags") return [];
      const count = countFound(scanner, twoLayers([inner, outer], payloads, seed));
      return count.of === 0 ? [] : [{ inner, outer, count }];
    }),
  );
  const rows = ENCODINGS.map((outer) => {
    const counts = pairs.filter((pair) => pair.outer === outer).map(({ count }) => count);
    return disguiseRow(scanner, `two layers, outer ${outer}`, sumOf(counts), 0.9);
  });
  const worst = pairs.reduce((least, pair) => (shareOf(pair.count) < shareOf(least.count) ? pair : least));
  return [...rows, disguiseRow(scanner, `worst pair: ${worst.inner} in ${worst.outer}`, worst.count, 0.9)];
}

function shareOf({ hits, of }: Count): number {
  return hits / of;
}

/** Tags can only hide ASCII, so that some pairs do not exist. */
function twoLayers(
  [inner, outer]: readonly [inner: DisguiseName, outer: DisguiseName],
  payloads: readonly string[],
  seed: number,
): readonly Disguised[] {
  const random = createRandom(seed);
  return payloads.slice(0, PER_PAIR).flatMap((original) => {
    const once = DISGUISES[inner](original, random);
    return outer === "tags" && !isAscii(once) ? [] : [{ text: DISGUISES[outer](once, random), original }];
  });
}

function countFound(scanner: TextScanner, disguised: readonly Disguised[]): Count {
  const { findings } = scanner.scan(disguised.map(({ text }) => text));
  return countOf([...disguised.entries()], ([index, { text, original }]) => {
    const isFound = (findings[index] ?? []).length > 0;
    return isFound && normalizeText(text).text.toLowerCase() === original;
  });
}

function benignRow(scanner: TextScanner): DetectorRow {
  const { findings } = scanner.scan(BENIGN_SIGNS);
  const isChanged = (text: string): boolean => {
    const { text: recovered, layers } = normalizeText(text);
    return layers.length > 0 || recovered !== text.normalize("NFC");
  };
  return rowOf({
    detector: scanner.detector.name,
    dataset: "generated",
    name: "texts that look disguised",
    falsePositives: countOf(
      [...BENIGN_SIGNS.entries()],
      ([index, text]) => (findings[index] ?? []).length > 0 || isChanged(text),
    ),
    bounds: { falsePositiveRate: 0 },
  });
}
