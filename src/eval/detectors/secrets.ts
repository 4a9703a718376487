import { textOf } from "../../detectors/finding.js";
import { secrets } from "../../detectors/secrets/secrets.js";
import { createRandom } from "../../retrieval/matcher/random.js";
import { keyLookalikes } from "../samples/key-lookalikes.js";
import { KEY_PLACES, keyWithWrongChecksum, sampleKey, SAMPLED_FORMATS } from "../samples/secret-keys.js";
import { benignRows, benignTexts, type DetectorContext } from "./context.js";
import type { DetectorRow, DetectorSection } from "./result.js";
import { countOf, curveOf, rowOf } from "./rows.js";
import type { TextScanner } from "./text-scan.js";

/** Keys of each format in each place. */
/** Maximum number of keys per format and position, and of look-alikes; fewer if fewer values are generated. */
const KEYS = 5;
const LOOKALIKES = 300;

/** Evaluates secrets on generated keys, lookalikes and benign texts. */
export function evaluateSecrets(context: DetectorContext): DetectorSection {
  const scanner = context.scannerOf(secrets());
  const random = createRandom(context.seed);
  const perFormat = Math.min(KEYS, context.generated);
  const places = Object.entries(KEY_PLACES).map(([place, write]) => ({
    place,
    keys: SAMPLED_FORMATS.flatMap((format) =>
      Array.from({ length: perFormat }, () => {
        const key = sampleKey(format, random);
        const service = format.context?.[0];
        return { key, text: write(key, service === undefined ? "" : `${service} `) };
      }),
    ),
  }));
  const lookalikes = keyLookalikes(random, Math.min(LOOKALIKES, context.generated));
  const wrong = Array.from(
    { length: context.generated },
    () => `My key is ${keyWithWrongChecksum(random)}, please keep it.`,
  );
  return {
    title: "Secrets",
    notes: [
      `Keys are generated from ${SAMPLED_FORMATS.length} formats, ${perFormat} of each in each place; a key is found if it is covered whole.`,
    ],
    rows: [
      ...places.map(({ place, keys }) => keyRow(scanner, `keys in ${place}`, keys)),
      negativeRow(scanner, { name: "lookalikes of keys", texts: lookalikes, bound: 0.03 }),
      negativeRow(scanner, { name: "wrong check sums", texts: wrong, bound: 0 }),
      ...benignRows(scanner, context, { pooled: 0.0003 }),
    ],
    curves: curveOf(
      "secrets",
      scanner.scores(places.flatMap(({ keys }) => keys.map(({ text }) => text))),
      scanner.scores([...benignTexts(context), ...lookalikes]),
    ),
  };
}

function keyRow(
  scanner: TextScanner,
  name: string,
  keys: readonly { readonly key: string; readonly text: string }[],
): DetectorRow {
  const { findings, cost } = scanner.scan(keys.map(({ text }) => text));
  const recall = countOf([...keys.entries()], ([index, { key, text }]) =>
    (findings[index] ?? []).some((finding) => textOf(finding, text).includes(key)),
  );
  return rowOf({ detector: scanner.detector.name, dataset: "generated", name, recall, cost, bounds: { recall: 1 } });
}

function negativeRow(
  scanner: TextScanner,
  { name, texts, bound }: { readonly name: string; readonly texts: readonly string[]; readonly bound: number },
): DetectorRow {
  const { findings, cost } = scanner.scan(texts);
  const falsePositives = countOf(findings, (found) => found.length > 0);
  const bounds = { falsePositiveRate: bound };
  return rowOf({ detector: scanner.detector.name, dataset: "generated", name, falsePositives, cost, bounds });
}
