import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { readMerged } from "../../src/runtime/colang1/generation/completions.js";
import { BotMessageReader, VerboseLines } from "../../src/llm/parsers/labels.js";
import {
  type GradualText,
  inSequence,
  readWhole,
  NewlineEscapes,
  TrimmedText,
  UnquotedText,
  StopGate,
} from "../../src/llm/parsers/gradual/gradual-text.js";
import { ReasoningFilter } from "../../src/llm/parsers/gradual/reasoning.js";
import { UtteranceReader } from "../../src/llm/parsers/completion-text.js";
import { parseVerbose } from "../../src/llm/parsers/registry.js";
import { truncateAtStop } from "../../src/llm/prompts/prompt-text.js";
import { propertyRuns } from "../support/property-runs.js";

const STOP = ["END", "EN!", "a b", "b"];

/** Readers with the result for a whole text, computed in the simplest way. */
const wholes: [string, () => GradualText, ((text: string) => string) | undefined][] = [
  ["StopGate", () => new StopGate(STOP), (text) => truncateAtStop(text, STOP)],
  ["StopGate without sequences", () => new StopGate([]), (text) => text],
  ["TrimmedText", () => new TrimmedText(), (text) => text.trim()],
  ["UnquotedText", () => new UnquotedText(), (text) => unquoted(text.trim())],
  ["NewlineEscapes", () => new NewlineEscapes(), (text) => text.replaceAll("\\n", "\n")],
  [
    "VerboseLines",
    () => new VerboseLines(),
    (text) =>
      text
        .split(/\r\n?|\n/)
        .map(verboseLine)
        .join("\n"),
  ],
  ["UtteranceReader", () => new UtteranceReader(), utterance],
  ["UtteranceReader behind another turn", () => new UtteranceReader({ firstMayBeTurn: true }), undefined],
  ["BotMessageReader", () => new BotMessageReader(), undefined],
  ["ReasoningFilter", () => new ReasoningFilter(), undefined],
  [
    "all of a message",
    () => inSequence([new BotMessageReader(), new UtteranceReader(), new StopGate(STOP), new NewlineEscapes()]),
    undefined,
  ],
  [
    "all of the words",
    () => inSequence([new ReasoningFilter(), new VerboseLines(), new UtteranceReader({ firstMayBeTurn: true })]),
    undefined,
  ],
];

const verboseLine = (line: string): string => parseVerbose(`.\n${line}\n.`).slice(2, -2);

function unquoted(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function utterance(completion: string): string {
  const text = completion.trim();
  const isQuoted = text.startsWith('"');
  const kept: string[] = [];
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    if (index > 0 && /^(?:user|bot)\s+\S|^(?:User|Bot) (?:message|intent):/.test(line)) break;
    kept.push(line);
    if (isQuoted && /(?<!\\)"\s*$/.test(line) && (index > 0 || line.trim().length > 1)) break;
  }
  const joined = kept.join("\n").trim();
  if (!isQuoted) return joined;
  const inner = joined.slice(1, joined.length > 1 && joined.endsWith('"') ? -1 : undefined);
  return inner.replaceAll('\\"', '"').trim();
}

const WORDS = ['"', '"', "\\", "\n", "\r", " ", "  ", "\n\n", "hello", "a", "b", "E", "EN", "END", "!", "n", ":", "*"];
const MARKS = [
  "user ",
  "bot ",
  "bot say",
  "User message:",
  "Bot message: ",
  "Bot intent: ",
  "User intent:",
  "us",
  "Bo",
];
const TAGS = ["<think>", "</think>", "<thin", "k>", "<", "</Thought>", "<reasoning>"];
const text = fc.array(fc.constantFrom(...WORDS, ...MARKS, ...TAGS), { maxLength: 24 }).map((parts) => parts.join(""));
const pieced = fc.tuple(text, fc.array(fc.nat(), { maxLength: 30 })).map(([whole, cuts]) => {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [...places, whole.length].map((end, index) => whole.slice(index === 0 ? 0 : places[index - 1], end));
});

function readPieces(
  reader: GradualText,
  pieces: readonly string[],
): { readonly given: string[]; readonly all: string } {
  const given = pieces.map((piece) => reader.push(piece));
  return { given, all: given.join("") + (reader.isOver ? "" : reader.end()) };
}

describe.each(wholes)("%s", (_, make, reference) => {
  it("makes the same of a text in whatever pieces it comes", () => {
    fc.assert(
      fc.property(pieced, (pieces) => {
        expect(readPieces(make(), pieces).all).toBe(readWhole(make(), pieces.join("")));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("gives nothing that what follows could change", () => {
    fc.assert(
      fc.property(text, text, (begun, rest) => {
        const given = make().push(begun);
        expect(readWhole(make(), begun + rest).startsWith(given)).toBe(true);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  if (reference === undefined) return;
  it("makes of it what was always made of it", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const plain = reference === utterance ? whole : whole.replaceAll(/[<>]/g, "");
        expect(readWhole(make(), plain)).toBe(reference(plain));
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});

describe("what is certain leaves at once", () => {
  it.each<[string, () => GradualText, string[], string[]]>([
    [
      "a quoted message",
      () => new UtteranceReader(),
      ['"Hel', "lo ", "you", '"', "\n", "user"],
      ["Hel", "lo", " you", "", "", ""],
    ],
    ["a quote inside", () => new UtteranceReader(), ['"say ', '"a"', " now"], ["say", ' "a', '" now']],
    ["a line that is no turn", () => new UtteranceReader(), ["x\nbot", "tle"], ["x", "\nbottle"]],
    [
      "words behind a label",
      () => new BotMessageReader(),
      ["Bot mess", "age: ", '"Hi', " you"],
      ["", "  ", '"Hi', " you"],
    ],
    ["text after reasoning", () => new BotMessageReader(), ["hm", "</think>", '"Hi', " you"], ["", "", '"Hi', " you"]],
    ["no text that may be reasoning", () => new BotMessageReader(), ["Okay, ", "so"], ["", ""]],
    ["nothing of a stop sequence", () => new StopGate(["User:"]), ["Hi. Us", "e", "r:"], ["Hi. ", "", ""]],
    ["nothing of a text that may be quoted", () => new UnquotedText(), ['"Hi', " you"], ["", ""]],
  ])("%s", (_, make, pieces, expected) => {
    expect(readPieces(make(), pieces).given).toEqual(expected);
  });
});

it("the words of a merged completion are those of the completion as a whole", () => {
  const head = "User intent: a\nBot intent: b\n";
  fc.assert(
    fc.property(text, (given) => {
      const words = given.replaceAll(/[<>]/g, "");
      const gradual = inSequence([
        new ReasoningFilter(),
        new VerboseLines(),
        new UtteranceReader({ firstMayBeTurn: true }),
      ]);
      expect(readWhole(gradual, words)).toBe(readMerged(parseVerbose(head + words), true).message);
    }),
    { numRuns: propertyRuns(150) },
  );
});

it.each<[string, string]>([
  ["user message board", "user message board"],
  ["Bot intention", "Bot intention"],
  ["bot messages", "bot messages"],
  ["user mess", ""],
  ["**user message**", ""],
])("the beginning of a line leaves unless it may be a label: %j", (line, expected) => {
  expect(new VerboseLines().push(line)).toBe(expected);
});
