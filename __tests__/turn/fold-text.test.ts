import { describe, expect, it } from "@jest/globals";
import { foldText, foldWhole } from "../../src/turn/fold-text.js";

describe("a folded text", () => {
  it.each<[string, string]>([
    ["", ""],
    ["Plain Text!", "plain text!"],
    ["two  blanks", "two blanks"],
    ["  at  the ends  ", " at the ends "],
    ["tab\tnewline\n\r\nend", "tab newline end"],
    ["a\u0000\u0001b", "a b"],
    ["é", "e"],
    ["e\u0301", "e"],
    ["\u0301", ""],
    ["a\u200Bb\u00ADc", "abc"],
    ["ﬁne", "fine"],
    ["Ａ１", "a1"],
    ["½", "1⁄2"],
    ["İ", "i"],
    ["ß", "ß"],
    ["𝐁ob", "bob"],
    ["😀 x", "😀 x"],
    ["\\n", " "],
    ["a\\nb", "a b"],
    ["a\\\\\\\\nb", "a b"],
    ["a\\n\\tb", "a b"],
    ["a \\n b", "a b"],
    ["\\a\\b\\f\\n\\r\\t\\v\\0", " "],
    ["\\u0041", "a"],
    ["\\U0041", "a"],
    ["\\\\u0041", "a"],
    ["\\u{41}", "a"],
    ["\\u{1F600}", "😀"],
    ["\\u{10ffff}", "\u{10ffff}"],
    ["\\u{110000}", "\uFFFD"],
    ["\\x41", "a"],
    ['\\"', '"'],
    ["\\'", "'"],
    ["\\`", "`"],
    ["\\/", "/"],
    ["\\", ""],
    ["a\\", "a"],
    ["a\\qb", "aqb"],
    ["a\\\\\\qb", "aqb"],
    ["\\u00e9", "e"],
    ["e\\u0301x", "ex"],
    ["\\u12", "u12"],
    ["\\u{}", "u{}"],
    ["a%20b", "a b"],
    ["a%2Cb%2cc", "a,b,c"],
    ["caf%C3%A9 %F0%9F%98%80", "cafe 😀"],
    ["100%", "100%"],
    ["5%zz", "5%zz"],
    ["%C3", "%c3"],
    ["%5Cn", "\\n"],
  ])("of %j is %j", (text, expected) => {
    expect(foldText(text).text).toBe(expected);
  });

  it.each([
    ["  a  b ", "a b"],
    ["\\n a \\n", "a"],
    ["  ", ""],
  ])("of %j without blanks at its ends is %j", (text, expected) => {
    expect(foldWhole(text)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ["Plain Text", "text", "Text"],
    ["two  blanks", "blanks", "blanks"],
    ["two  blanks", " ", "  "],
    ["a \t\n b", " ", " \t\n "],
    ["a \\n\\t b", " ", " \\n\\t "],
    ["x é y", "e", "é"],
    ["x e\u0301 y", "e", "e"],
    ["x ﬁne y", "f", "ﬁ"],
    ["x ﬁne y", "i", "ﬁ"],
    ["x ﬁne y", "fi", "ﬁ"],
    ["x ﬁne y", "ine", "ﬁne"],
    ["x 𝐁ob y", "b", "𝐁"],
    ["x 𝐁ob y", "bob", "𝐁ob"],
    ["é 😀 z", "😀", "😀"],
    ["é 😀 z", "z", "z"],
    ["x \\u0041bc y", "a", "\\u0041"],
    ["x \\u0041bc y", "abc", "\\u0041bc"],
    ["x \\\\\\u0041bc y", "abc y", "\\\\\\u0041bc y"],
    ["x \\u{1F600}z", "😀", "\\u{1F600}"],
    ["x \\u{1F600}z", "z", "z"],
    ["say \\\\qb", "qb", "qb"],
    ['say \\"hi\\"', '"hi"', '\\"hi\\"'],
    ["a\u200Bb c", "ab", "a\u200Bb"],
    ["a\u200Bb c", "c", "c"],
    ["İx", "x", "x"],
  ])("of %j has %j at the place of %j", (text, part, expected) => {
    const folded = foldText(text);
    const start = folded.text.indexOf(part);
    const [from, to] = folded.range(start, start + part.length);
    expect(text.slice(from, to)).toBe(expected);
  });
});
