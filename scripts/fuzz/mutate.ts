import type { Random } from "./random.js";

const CHARACTERS = [
  "\0",
  "\t",
  "\r",
  "\\",
  "\u00A0",
  "\uFEFF",
  "\uD800",
  "é",
  "漢",
  "😀",
  '"',
  "'",
  "#",
  "$",
  ":",
  "(",
  "]",
];
const MAX_LENGTH = 4000;

/** A text made from a sample by a few random changes, or from random tokens alone. */
export function generateText(random: Random, corpus: readonly string[], tokens: readonly string[]): string {
  if (random.below(4) === 0) return Array.from({ length: random.below(60) }, () => random.pick(tokens)).join("");
  let text = random.pick(corpus);
  for (let change = random.below(6); change >= 0; change -= 1) text = mutate(random, text, corpus, tokens);
  return text.slice(0, MAX_LENGTH);
}

function mutate(random: Random, text: string, corpus: readonly string[], tokens: readonly string[]): string {
  const from = random.below(text.length + 1);
  const to = Math.min(text.length, from + 1 + random.below(random.below(4) === 0 ? 200 : 8));
  const [before, cut, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  switch (random.below(8)) {
    case 0:
      return before + after;
    case 1:
      return before + cut + cut + after;
    case 2:
      return before + random.pick(tokens) + text.slice(from);
    case 3:
      return before + random.pick(tokens) + after;
    case 4:
      return before + random.pick(CHARACTERS) + text.slice(from);
    case 5:
      return moveLine(random, text);
    case 6:
      return before + random.pick(corpus).slice(random.below(200)) + after;
    default:
      return before + random.pick(tokens).repeat(random.below(40)) + after;
  }
}

function moveLine(random: Random, text: string): string {
  const lines = text.split("\n");
  const [line = ""] = lines.splice(random.below(lines.length), 1);
  lines.splice(random.below(lines.length + 1), 0, `${" ".repeat(random.below(5))}${line.trimStart()}`);
  return lines.join("\n");
}
