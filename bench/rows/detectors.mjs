import { ADVERSARIES, adversarialTimes, exportedDetectors } from "../detectors.mjs";

/** Prose of 500 characters with a date, an amount and a name, as users write. */
const PROSE = (
  "Hello, I ordered a pair of running shoes on 12 March and they arrived a size too small. Could you tell me how I can send " +
  "them back, and whether the refund of 89.90 euros goes to the same card? My friend Maria said that the shop on Main Street " +
  "takes returns too, but I could not find it on your page. I would also like to know if the blue ones are in stock again, " +
  "since the last time I looked they were not. Thank you for your help and have a nice day! Best regards, Tom Miller, Leeds."
).slice(0, 500);
const TEXT = `${PROSE}\n${PROSE}`;
const LOCAL = [
  "personalData",
  "secrets",
  "jailbreakPhrasing",
  "codeInjection",
  "embeddedInstructions",
  "exfiltration",
  "urls",
  "toxicWords",
  "contextBloat",
  "disguises",
];
const MEGABYTE = 1_000_000;

/** Detector that finds nothing, and reads all views. */
const NOTHING = { name: "nothing", rules: [{ name: "never", type: "X", score: 1, triggers: ["\0never"], find() {} }] };

/**
 * The text in the representations that programs have: a slice of a larger one, joined, with characters beyond Latin-1,
 * a name, read from JSON. A string method in a loop becomes slow once it was called on texts of many representations,
 * as in a real program.
 */
const AS_WRITTEN = Array.from({ length: 60 }, (_, index) => {
  const slice = `${TEXT} ${index} \u4e16 ${TEXT}`.slice(index, TEXT.length - index);
  const joined = `${index} ${slice}${index}`;
  return [
    slice,
    joined,
    slice.slice(0, 300),
    `${joined} \u4e16`,
    Object.keys({ [joined]: 1 })[0],
    JSON.parse(JSON.stringify(joined)),
  ];
}).flat();

/** Scanner of detectors that has read texts of all representations. */
function warmScanner(entry, detectors) {
  const scanner = new entry.Scanner(detectors);
  for (const text of AS_WRITTEN) scanner.scan(text);
  return scanner;
}

const shared = { conditions: "English prose without findings, warm", unit: "µs/kB" };

/** Cost of one detector on top of reading a text for it. */
function detectorRow(name) {
  return {
    ...shared,
    name: `detector-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    title: `detector \`${name}\`, beyond the reading that all share`,
    target: 30,
    value: ({ scan, read }) => ((scan - read) * 1000) / (TEXT.length / 1000),
    async open(library) {
      const { entry, detectors } = await exportedDetectors(library);
      const scanner = warmScanner(entry, [detectors[name], NOTHING]);
      const reader = warmScanner(entry, [NOTHING]);
      return { scan: () => scanner.scan(TEXT), read: () => reader.scan(TEXT) };
    },
  };
}

/** Worst of the adversarial texts. */
async function worst(library, figureOf) {
  const { entry, detectors } = await exportedDetectors(library);
  const scanner = new entry.Scanner(Object.values(detectors));
  return Math.max(...Object.values(ADVERSARIES).map((unit) => figureOf(adversarialTimes(scanner, unit, MEGABYTE))));
}

/** Detectors without rails. */
export const detectorRows = [
  {
    ...shared,
    name: "detectors-reading",
    title: "a text read without its disguises, once for all detectors",
    target: 30,
    value: ({ read }) => (read * 1000) / (TEXT.length / 1000),
    async open(library) {
      const { entry } = await exportedDetectors(library);
      const reader = warmScanner(entry, [NOTHING]);
      return { read: () => reader.scan(TEXT) };
    },
  },
  ...LOCAL.map(detectorRow),
  {
    name: "detectors-together",
    title: "all local detectors on 500 characters",
    conditions: "English prose without findings, warm",
    unit: "ms",
    target: 0.3,
    value: ({ scan }) => scan,
    async open(library) {
      const { entry, detectors } = await exportedDetectors(library);
      const scanner = warmScanner(
        entry,
        LOCAL.flatMap((name) => detectors[name] ?? []),
      );
      return { scan: () => scanner.scan(PROSE) };
    },
  },
  {
    name: "detectors-adversarial",
    title: "all detectors on the worst adversarial text of 1 MB",
    conditions: `worst of ${Object.keys(ADVERSARIES).length} texts`,
    unit: "s",
    target: 1,
    value: ({ longest }) => longest,
    processes: 1,
    once: async (library) => ({ longest: [(await worst(library, ({ whole }) => whole)) / 1000] }),
  },
  {
    name: "detectors-linear",
    title: "time for 1 MB over that for 0.5 MB, worst adversarial text",
    conditions: "2 is linear",
    unit: "×",
    target: 3,
    value: ({ ratio }) => ratio,
    processes: 1,
    once: async (library) => ({ ratio: [await worst(library, ({ half, whole }) => whole / Math.max(half, 20))] }),
  },
];
