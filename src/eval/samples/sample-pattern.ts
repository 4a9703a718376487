import type { Random } from "../../retrieval/matcher/random.js";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const WORD = `${LOWER}${LOWER.toUpperCase()}${DIGITS}_`;

export function sampleCharacters(alphabet: string, length: number, random: Random): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join("");
}

/**
 * Returns a text that a regular expression matches, each character drawn evenly. It reads literals, escapes, classes, groups and
 * bounded repetition; of a repetition with two bounds it draws one of the first three.
 */
export function samplePattern(pattern: string, random: Random): string {
  let at = 0;
  const alternatives = (): string => {
    const options = [sequence()];
    while (pattern.charAt(at) === "|") {
      at++;
      options.push(sequence());
    }
    if (pattern.charAt(at) === ")") at++;
    return options[Math.floor(random() * options.length)] ?? "";
  };
  const sequence = (): string => {
    let text = "";
    while (at < pattern.length && !"|)".includes(pattern.charAt(at))) text += repeated();
    return text;
  };
  const repeated = (): string => {
    const start = at;
    let text = atom();
    const end = at;
    const [bounds = "", least = "1", most = least] = /^(?:\{(\d+)(?:,(\d+))?\}|\?)/.exec(pattern.slice(at)) ?? [];
    const fewest = bounds === "?" ? 0 : Number(least);
    const count = fewest + Math.floor(random() * Math.min(3, (bounds === "?" ? 1 : Number(most)) - fewest + 1));
    const next = end + bounds.length;
    if (count === 0) text = "";
    for (let turn = 1; turn < count; turn++) {
      at = start;
      text += atom();
    }
    at = next;
    return text;
  };
  const atom = (): string => {
    const character = pattern.charAt(at++);
    if (character === "(") {
      at += 2;
      return alternatives();
    }
    if (character === "[") {
      const end = pattern.indexOf("]", at);
      const alphabet = classOf(pattern.slice(at, end));
      at = end + 1;
      return sampleCharacters(alphabet, 1, random);
    }
    return character === "\\" ? sampleCharacters(escapeOf(pattern.charAt(at++)), 1, random) : character;
  };
  return alternatives();
}

function classOf(source: string): string {
  return source
    .replaceAll(/\\(.)/g, (_match, escaped: string) => escapeOf(escaped))
    .replaceAll(/([0-9A-Za-z])-([0-9A-Za-z])/g, (_match, first: string, last: string) =>
      WORD.split("")
        .filter((character) => character >= first && character <= last)
        .join(""),
    );
}

function escapeOf(character: string): string {
  if (character === "d") return DIGITS;
  return character === "w" ? WORD : character;
}
