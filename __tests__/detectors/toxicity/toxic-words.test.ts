import { describe, expect, it } from "@jest/globals";
import { detect, textOf, toxicWords, type ToxicSeverity } from "../../../src/detectors/index.js";

const found = (text: string, severity?: ToxicSeverity): readonly string[] =>
  detect(text, [toxicWords(severity === undefined ? {} : { severity })]).map(
    (finding) => `${finding.rule}: ${textOf(finding, text)}`,
  );

describe("toxicWords", () => {
  it.each([
    ["You stupid idiot, shut up!", ["mild: stupid idiot", "mild: shut up"]],
    ["What the FUCK is this bullshit", ["strong: FUCK", "strong: bullshit"]],
    ["To je do piče, baszd meg, fy faen", ["strong: do piče", "strong: baszd meg", "strong: fy faen"]],
    ["Such a prick", ["strong: Such a prick"]],
    ["go  kill\nyourself", ["strong: kill\nyourself"]],
    ["death to immigrants", ["hate: death to immigrants"]],
    ["Du Arschloch", ["strong: Arschloch"]],
    ["quel connard", ["strong: connard"]],
    ["eres un gilipollas", ["strong: gilipollas"]],
    ["vaffanculo", ["strong: vaffanculo"]],
    ["vai se foder", ["strong: vai se foder"]],
    ["иди нахуй", ["strong: иди нахуй"]],
    ["spierdalaj stąd", ["strong: spierdalaj"]],
    ["你这个王八蛋", ["strong: 王八蛋"]],
    ["この野郎、死ね", ["strong: 死ね"]],
    ["야 이 개새끼야", ["strong: 개새끼야"]],
    ["sh1t happens", ["strong: sh1t"]],
  ])("finds the words of: %s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    "The class in Scunthorpe assessed a cocktail of Essex titles.",
    "A Maine Coon and a shih tzu sat by the dyke.",
    "A spic-and-span kitchen; do not prick your finger.",
    "The Dickens novel shows the prickly heroine.",
    "Die Regenrinne ist voll; der Rock ist kurz.",
    "Жидкий азот и хулиган.",
    "Il fait débilement beau au bord du lac.",
    "The retardant slows the fire.",
    "Hello, could you help me with my order, please?",
  ])("finds nothing in: %s", (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ["mild", ["mild", "strong", "hate"]],
    ["strong", ["strong", "hate"]],
    ["hate", ["hate"]],
  ] as const)("finds words from the severity %s on", (severity, rules) => {
    const text = "damn. shit. sieg heil.";
    expect(detect(text, [toxicWords({ severity })]).map(({ rule }) => rule)).toEqual(rules);
  });

  it("refuses an unknown severity", () => {
    expect(() => toxicWords({ severity: "extreme" as "hate" })).toThrow(/for the option `severity` of `toxicWords`/);
  });
});
