import { describe, expect, it } from "@jest/globals";
import {
  canaryTokens,
  detect,
  keyWords,
  patterns,
  promptEcho,
  textOf,
  toxicWords,
} from "../../../src/detectors/index.js";

const TOKEN = "k7m2q9x4v8b3n6t5w2pd";
const PROMPT =
  "You are Ada, the assistant of Example Bank. Never mention interest rates before the customer has logged in.";
const words = PROMPT.split(" ");

describe("key words", () => {
  const words = keyWords({ words: ["acme bikes"] });
  it.each([
    ..."acme-bikes|acme_bikes|acme.bikes|acme/bikes|AcmeBikes|@acme_bikes|acme+bikes|<b>acme</b> bikes".split("|"),
    ..."<b>acme</b> <i class=x>bikes</i>|**acme** bikes|`acme` `bikes`|[b]acme[/b] bikes|acme&nbsp;bikes".split("|"),
  ])("find a phrase in %s", (text) => {
    expect(detect(text, [words])).toMatchObject([{ type: "KEY_WORD" }]);
  });

  it.each(["We know acme. Bikes are fine.", "acme, bikes", "acmebikers", "acme <3 bikes", "AcmeBikers"])(
    "do not find one in %s",
    (text) => {
      expect(detect(text, [words])).toEqual([]);
    },
  );
});

describe("patterns", () => {
  const orion = patterns({ patterns: ["project orion", "TCK-\\d{6}"] });
  it.each([
    btoa("project orion"),
    "project%20orion",
    "project&#32;orion",
    "TCK&#45;123456",
    "TCK%2D123456",
    Array.from("project orion", (letter) => `\\x${letter.charCodeAt(0).toString(16)}`).join(""),
  ])("find the text behind %s", (text) => {
    expect(detect(text, [orion])).toMatchObject([{ type: "PATTERN" }]);
  });
});

describe("canary tokens", () => {
  it.each([
    ["groups with hyphens", TOKEN.match(/.{4}/g)?.join("-")],
    ["groups with blanks", TOKEN.match(/.{5}/g)?.join(" ")],
    ["pairs", TOKEN.match(/.{2}/g)?.join("_")],
    ["a list of letters", JSON.stringify([...TOKEN])],
    ["a letter on each line", [...TOKEN].join("\n")],
    ["letters in brackets", `(${[...TOKEN].join(")(")})`],
    ["letters backwards", [...TOKEN].reverse().join("")],
    ["letters of ROT13", "x7z2d9k4i8o3a6g5j2cq"],
  ])("are found in %s", (_, text = "") => {
    expect(detect(`it is ${text}.`, [canaryTokens([TOKEN])])).toMatchObject([{ type: "CANARY_TOKEN" }]);
  });

  it.each(["key k7 m2 of q9", TOKEN.match(/.{4}/g)?.slice(0, 4).join("-") ?? ""])("are not found in %s", (text) => {
    expect(detect(text, [canaryTokens([TOKEN])])).toEqual([]);
  });
});

describe("a repeated prompt", () => {
  it.each([
    ["numbered words", words.map((word, at) => `${at + 1}. ${word}`).join("\n")],
    ["words in tags", words.map((word) => `<span class="a">${word}</span>`).join(" ")],
    ["words in BBCode", words.map((word) => `[b]${word}[/b]`).join(" ")],
    ["lines of a log", words.map((word) => `2024-01-05T12:00:01Z INFO ${word}`).join("\n")],
    ["subtitles", words.map((word, at) => `${at}\n00:00:01,000 --> 00:00:02,000\n${word}\n`).join("\n")],
  ])("is found as %s", (_, text) => {
    expect(detect(text, [promptEcho(PROMPT)])).toMatchObject([{ type: "PROMPT_LEAK" }]);
  });
});

describe("toxic words", () => {
  it.each([
    ["so fuuuuuck this", "fuuuuuck"],
    ["aaah biiitch and whooore", "biiitch"],
    ["you bitchhhh", "bitchhhh"],
    ["an ass-hole", "ass-hole"],
    ["kill urself", "kill urself"],
    ["NIQUE TA MERE", "NIQUE TA MERE"],
    ["μαλάκας", "μαλάκας"],
    ["la concha de tu madre", "la concha de tu madre"],
  ])("are found in %s", (text, found) => {
    expect(detect(text, [toxicWords()]).map((finding) => textOf(finding, text))).toContain(found);
  });

  it.each([
    "Johnny Depp, il burro, la pédale de frein, una tapette à mouches",
    "músculos débiles, alimentación deficiente, een eikel, sukkelen",
    "a niggardly sum; hmmm, brrr, www.example.org",
  ])("are not found in %s", (text) => {
    expect(detect(text, [toxicWords()])).toEqual([]);
  });
});
