// Examples for the matcher: those of a folder, or as many made ones. Real data is not part of the repository.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { word } from "./configs.mjs";
import { seededRandom } from "./harness/statistics.mjs";

const INTENTS = 77;
const PER_INTENT = 130;
const TESTS = 1000;
/** Words that every intent uses, the few that it prefers, and those that it alone has. */
const COMMON = 400;
const PREFERRED = 12;

/** Examples to learn from and texts to ask about: of `banking77` below the folder, or made ones of the same size. */
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
  const preferred = Array.from({ length: INTENTS }, () => Array.from({ length: PREFERRED }, () => word(below(COMMON))));
  const text = (intent) => {
    const length = 6 + below(12);
    return Array.from({ length }, () => {
      const kind = random();
      if (kind < 0.12) return word(COMMON + intent * 3 + below(3));
      if (kind < 0.4) return preferred[intent][below(PREFERRED)];
      // Common words are not equally common.
      return word(Math.floor(COMMON * random() ** 3));
    }).join(" ");
  };
  const train = Array.from({ length: INTENTS * PER_INTENT }, (_, at) => ({
    text: text(at % INTENTS),
    intent: `ask about ${word(5000 + (at % INTENTS))}`,
  }));
  return { train, test: Array.from({ length: TESTS }, (_, at) => text(at % INTENTS)) };
}
