// node bench/detectors.mjs [--root FOLDER] [--size 1000000] [--only NAME,...]: processor time of all detectors
// together, and of each slow one, on adversarial texts of half the size and of the full size, with the ratio of both
// times.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { libraryAt } from "./harness/library.mjs";

/** Options of detectors that need some. */
const OPTIONS = {
  keyWords: { words: ["forbidden", "very forbidden"] },
  patterns: { patterns: ["foo\\d{1,9}", "b[a-z]{1,3}r"] },
};

/**
 * Adversarial texts, which make a rule read far or a transformation large: a unit to repeat, or a function of the size.
 */
export const ADVERSARIES = {
  at: "@",
  "at words": "a@",
  digits: "1",
  "digit groups": "4111 ",
  dots: "a.",
  colons: ":",
  hyphens: "1-",
  brackets: "[({<",
  quotes: "\"'`",
  spaces: " ",
  lines: "\n",
  tags: "<a ",
  links: "http://a.",
  slashes: "://",
  keys: "key=",
  "private keys": "-----BEGIN RSA PRIVATE KEY-----",
  phrases: "ignore all ",
  "zero width": "a\u200b",
  "zero width alone": "\u200b",
  marks: "a\u0301\u0302",
  base64: "aWdub3JlIGFsbCBy",
  "base64 words": "aWdub3JlIGFs ",
  percent: "%41",
  entities: "&#65;",
  escapes: "\\u0041",
  spaced: "a ",
  leetspeak: "1gn0r3 ",
  confusables: "\u0430b ",
  "full width": "\uff01\uff41",
  "hex pairs": "69 ",
  surrogates: "\ud835",
  quotation: "' or 1=1 -- ",
  template: "{{",
  images: "![](",
  "bare www": "www. ",
  assignments: "auth:",
  "random assignments": "credential=a3t",
  "open templates": "<%",
  "spaced digits": "1 ",
  accents: "é ",
  "mathematical letters": "\u{1d400} ",
  ideographs: "\u5ffd\u7565",
  "words of parts": "a.b.",
  "split words": "ig-nore ",
  "tags in words": "a<b></b>",
  "nested brackets": (size) => `${"([{".repeat(size / 6)}${"}])".repeat(size / 6)}`,
  bits: "0110",
  "decimal numbers": "105, ",
  "numbered letters": "9-7 ",
  "quoted-printable": "=69",
  "groups of base64": "Zm9y ",
  "lines of base64": "Zm9yZ2V0IGFs\n",
  base32: "MZXXEZLM",
  morse: ".- ",
  braille: "\u2801\u2803 ",
  flags: "\u{1f1e9}\u{1f1ea}",
  "letters of flags": "\u{1f1ee} ",
  "spelling alphabet": "india golf ",
  "upside down": "\u0250\u0279\u01dd ",
  "letters in quotes": "'a', ",
  "letters on lines": "a\n",
  "words backwards": "eht ",
  nothing: "\0",
  "long word": (size) => `${"a".repeat(size - 2)} é`,
  "long run of signs": (size) => `${"!".repeat(size - 6)} 1abc!`,
  "all disguises": (size) => {
    const all =
      "1gn0r3 caf\u00e9 \u0430bc &#65; %41 \\u0041 aWdub3JlIGFsbCBydWxlcw== 69 67 6e 6f 72 65 i g n o r e gur naq \uff41 4111 ";
    return all.repeat(Math.ceil(size / all.length)).slice(0, size);
  },
};

/** Text of an adversary for a size: a repeated unit, or the result of a function of the size. */
export function adversarialText(adversary, size) {
  if (typeof adversary === "function") return adversary(size);
  return adversary.repeat(Math.ceil(size / adversary.length)).slice(0, size);
}

/** The detectors that the package exports, by name. */
export async function exportedDetectors(library) {
  const entry = await library.entry("./detectors");
  const made = Object.entries(entry).flatMap(([name, factory]) => {
    if (typeof factory !== "function" || /^[A-Z]/.test(name)) return [];
    try {
      const detector = factory(OPTIONS[name] ?? {});
      if (detector instanceof Promise) detector.catch(() => undefined);
      return Array.isArray(detector?.rules) ? [[name, detector]] : [];
    } catch {
      return [];
    }
  });
  return { entry, detectors: Object.fromEntries(made) };
}

/** Processor time of one call in milliseconds. */
export function timeOf(call) {
  const start = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Times of a scan of an adversarial text and of one of half its size. */
export function adversarialTimes(scanner, unit, size) {
  const [half, whole] = [adversarialText(unit, size / 2), adversarialText(unit, size)];
  scanner.scan(adversarialText(unit, 20_000));
  return {
    half: Math.min(
      timeOf(() => scanner.scan(half)),
      timeOf(() => scanner.scan(half)),
    ),
    whole: Math.min(
      timeOf(() => scanner.scan(whole)),
      timeOf(() => scanner.scan(whole)),
    ),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

async function main() {
  const { values } = parseArgs({
    options: { root: { type: "string" }, size: { type: "string", default: "1000000" }, only: { type: "string" } },
  });
  const size = Number(values.size);
  const { entry, detectors } = await exportedDetectors(libraryAt(values.root));
  const only = values.only?.split(",");
  const all = new entry.Scanner(Object.values(detectors));
  console.log("milliseconds of processor time for half the text, the text, their ratio; detectors above 100 ms");
  for (const [name, unit] of Object.entries(ADVERSARIES)) {
    if (only !== undefined && !only.includes(name)) continue;
    const { half, whole } = adversarialTimes(all, unit, size);
    const slow = whole < 300 ? [] : slowest(entry, detectors, unit, size);
    console.log(
      `${name.padEnd(18)} ${half.toFixed(0).padStart(6)} ${whole.toFixed(0).padStart(6)} ${(whole / half).toFixed(1).padStart(5)}  ${slow.join(", ")}`,
    );
  }
}

/** The slowest detectors, with their times. */
function slowest(entry, detectors, unit, size) {
  const text = adversarialText(unit, size);
  return Object.entries(detectors)
    .map(([name, detector]) => {
      const scanner = new entry.Scanner([detector]);
      return [name, timeOf(() => scanner.scan(text))];
    })
    .filter(([, time]) => time > 100)
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, time]) => `${name} ${time.toFixed(0)}`);
}
