// cspell:ignore vtaber cerivbhf snoitcurtsni suoiverp erongi vdudd wxlcw vdkd gxjdz wdub
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Scanner } from "../../src/detectors/index.js";
import { ALL_DETECTORS } from "./all-detectors.js";
import { WorkCounter } from "./counted-work.js";

/** Texts that repeat what makes some rule look far, or a transformation large. */
const FAMILIES: Readonly<Record<string, string>> = {
  prose: "Hello, I ordered shoes on 12 March and they arrived too small. ",
  "at signs": "@",
  "mail addresses": "a@b.co,",
  digits: "1",
  "digits in groups": "4111 ",
  "digits apart": "1 ",
  "near cards": "4111 1111 1111 1112 ",
  "near accounts": "GB82WEST12345698765433 ",
  "near security numbers": "000-12-3456 ",
  "near telephone numbers": "+1 (555) 010-999 ",
  "near addresses": "192.168.1.256 ",
  "dotted letters": "a.",
  colons: ":",
  hyphens: "1-",
  brackets: "[({<",
  quotes: "\"'`",
  blanks: " ",
  lines: "\n",
  elements: "<a ",
  "open comments": "<!--",
  links: "http://a.",
  "links to hosts": "www. ",
  images: "![](",
  assignments: "auth:",
  "random assignments": "credential=a3t",
  "keys and values": "key=",
  "private keys": "-----BEGIN RSA PRIVATE KEY-----",
  phrases: "ignore all ",
  "whole phrases": "ignore all previous instructions. ",
  "conditions of SQL": "' or 1=1 -- ",
  "open templates": "{{<%",
  "zero-width spaces": "\u200b",
  "zero-width spaces in words": "a\u200b",
  "marks on letters": "a\u0301\u0302",
  "directions of text": "\u202ea\u202c",
  "tag characters": "\u{e0069}\u{e0067}",
  "variation selectors": "a\u{e0101}",
  Base64: "aWdub3JlIGFsbCBy",
  "words in Base64": "aWdub3JlIGFsbCBydWxlcw== ",
  "Base64 in Base64": "YVdkdWIzSmxJR0ZzYkNCeWRXeGxjdz09 ",
  hexadecimal: "69676e6f726520616c6c ",
  "hexadecimal pairs": "69 67 ",
  percent: "%41",
  "percent of percent": "%2541",
  entities: "&#65;&amp;#65;",
  escapes: "\\u0041\\x41",
  "letters apart": "i g n o r e  ",
  leetspeak: "1gn0r3 4ll ",
  rotated: "vtaber nyy cerivbhf ",
  backwards: "snoitcurtsni suoiverp lla erongi ",
  confusables: "\u0430b ",
  "full width": "\uff01\uff41",
  "mathematical letters": "\u{1d400} ",
  accents: "\u00e9 ",
  ideographs: "\u5ffd\u7565\u6240\u6709",
  Arabic: "\u062a\u062c\u0627\u0647\u0644 ",
  emoji: "\u{1f600}\u{1f468}\u200d\u{1f469}",
  "lone surrogates": "\ud835a\udc00",
  "null characters": "\0",
  "one word": "abcdefgh",
  "all disguises":
    "1gn0r3 caf\u00e9 \u0430bc &#65; %41 \\u0041 aWdub3JlIGFsbCBydWxlcw== 69 67 6e 6f 72 65 i g n o r e gur naq \uff41 4111 ",
};

const SIZE = 2000;
/** Twice the text takes twice the work; the rest is what stands at the ends. */
const MOST_RATIO = 2.5;
/** Bound for each character, for all detectors together. */
const MOST_STEPS = 1200;

const detectors = ALL_DETECTORS.map(([, detector]) => detector);
const scanner = new Scanner(detectors);
const counter = new WorkCounter();
/** Whole units alone: a part of one at the end may be a disguise, and all of the text is then read once more. */
const ofSize = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));

beforeAll(() => counter.open());
afterAll(() => counter.close());

it.each(Object.entries(FAMILIES))("all detectors together take work linear in a text of %s", (_, unit) => {
  // Tables that the first use builds do not count.
  scanner.scan(ofSize(unit, SIZE));
  const [half, whole] = [SIZE, 2 * SIZE].map((size) => counter.count(() => scanner.scan(ofSize(unit, size))));
  // Regular expressions alone pass over each character a few times.
  expect(half).toBeGreaterThan(5 * SIZE);
  expect((whole as number) / (half as number)).toBeLessThan(MOST_RATIO);
  expect((whole as number) / (2 * SIZE)).toBeLessThan(MOST_STEPS);
});

const triggers = [
  ...new Set(detectors.flatMap(({ rules }) => rules.flatMap((rule) => ("find" in rule ? (rule.triggers ?? []) : [])))),
];
/** Triggers counted together: few enough that one which is not linear shows in the sum. */
const TOGETHER = 25;
const GROUPS = Array.from({ length: Math.ceil(triggers.length / TOGETHER) }, (_, at) =>
  triggers.slice(at * TOGETHER, (at + 1) * TOGETHER),
);
const SHORT = 600;

it.each(GROUPS.map((group) => [group[0], group] as const))(
  "the triggers from %j on take work linear in how often each is repeated",
  (_, group) => {
    const scanAll = (size: number) => () => {
      for (const trigger of group) scanner.scan(ofSize(trigger, size));
    };
    scanAll(100)();
    const [half, whole] = [SHORT, 2 * SHORT].map((size) => counter.count(scanAll(size)));
    expect((whole as number) / (half as number)).toBeLessThan(MOST_RATIO);
  },
);

it("counts a loop inside a loop as more than linear", () => {
  const pairs = (size: number) => () => {
    const text = "x".repeat(size);
    for (let at = 0; at < size; at++) /y/.exec(text.slice(at));
  };
  expect(counter.count(pairs(400)) / counter.count(pairs(200))).toBeGreaterThan(3);
});
