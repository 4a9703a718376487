// Examples for the matcher: those of a folder, or as many generated ones. Real data is not part of the repository.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "./harness/statistics.mjs";

const INTENTS = 77;
const PER_INTENT = 130;
const TESTS = 1000;
/** Words that every intent uses, the few that it prefers, and those that only it has. */
const COMMON = 1800;
const PREFERRED = 12;
const OWN = 3;
const SYLLABLES = [
  [
    "",
    "b",
    "br",
    "c",
    "ch",
    "d",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
  ],
  ["a", "e", "i", "o", "u", "ai", "ea", "io", "ou"],
  ["", "", "ck", "l", "m", "n", "nd", "ng", "r", "rt", "s", "st", "t"],
];

/** Training examples and test texts: those of `banking77` below the folder, or generated ones of the same size. */
export function examplesOf(folder) {
  if (folder === undefined) return made();
  const read = (file) =>
    readFileSync(join(folder, "banking77", file), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const train = read("index.jsonl").map(({ text, intent, canonical }) => ({ text, intent: canonical ?? intent }));
  return { train, test: read("dev.jsonl").map(({ text }) => text) };
}

function made() {
  const random = seededRandom(7);
  const below = (count) => Math.floor(random() * count);
  const word = () => {
    const parts = Array.from({ length: 1 + Math.floor(2.2 * random() ** 2) }, () =>
      SYLLABLES.map((letters) => letters[below(letters.length)]),
    );
    return parts.flat().join("");
  };
  const words = Array.from({ length: COMMON + INTENTS * (OWN + 2) }, word);
  const preferred = Array.from({ length: INTENTS }, () =>
    Array.from({ length: PREFERRED }, () => words[below(COMMON)]),
  );
  const text = (intent) => {
    const length = 5 + below(13);
    return Array.from({ length }, () => {
      const kind = random();
      if (kind < 0.12) return words[COMMON + intent * OWN + below(OWN)];
      if (kind < 0.4) return preferred[intent][below(PREFERRED)];
      // Common words differ in frequency.
      return words[Math.floor(COMMON * random() ** 4)];
    }).join(" ");
  };
  const train = Array.from({ length: INTENTS * PER_INTENT }, (_, at) => ({
    text: text(at % INTENTS),
    intent: `ask about ${words[COMMON + INTENTS * OWN + (at % INTENTS)]} ${words[at % INTENTS]}`,
  }));
  return { train, test: Array.from({ length: TESTS }, (_, at) => text(at % INTENTS)) };
}
