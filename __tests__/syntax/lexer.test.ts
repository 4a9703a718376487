import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { anyCharacter } from "../support/any-character.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { lexRange, type LexOptions } from "../../src/syntax/lexer.js";
import type { Token } from "../../src/syntax/cursor.js";

function lex(text: string, options?: LexOptions): readonly Token[] {
  const source = createSourceFile("main.co", text);
  return lexRange(source, 0, source.text.length, options);
}

/** `kind:text` of every token but the last; strings and numbers by their value. */
function summary(text: string): readonly string[] {
  return lex(text)
    .slice(0, -1)
    .map(({ kind, text: written, value, prefix }) => `${kind}:${prefix ?? ""}${value ?? written}`);
}

describe("tokens", () => {
  it.each([
    ["", []],
    ["ask price", ["word:ask", "word:price"]],
    ["don't stop", ["word:don't", "word:stop"]],
    ["rock'n'roll", ["word:rock'n'roll"]],
    ["é_1 名前", ["word:é_1", "word:名前"]],
    ["$name $_x1 $été", ["variable:name", "variable:_x1", "variable:été"]],
    ["$a.b", ["variable:a", "punctuation:.", "word:b"]],
    ["$a's", ["variable:a", "invalid:'", "word:s"]],
    ["$ $1", ["invalid:$", "invalid:$", "number:1"]],
    [
      "1 1.5 .5 2. 1e3 1.5e-3 0x1F 0o17 0b11 1_000",
      [1, 1.5, 0.5, 2, 1000, 0.0015, 31, 15, 3, 1000].map((n) => `number:${n}`),
    ],
    ["3rd 2x 1_ 1__0 0x1g", ["word:3rd", "word:2x", "word:1_", "word:1__0", "word:0x1g"]],
    [
      "1.lower 1..2 1...2",
      [
        "number:1",
        "punctuation:.",
        "word:lower",
        "number:1",
        "punctuation:.",
        "number:0.2",
        "number:1",
        "punctuation:...",
        "number:2",
      ],
    ],
    ["007 0 00", ["invalid:007", "number:0", "number:0"]],
    ["1e999", ["invalid:1e999"]],
    ["1.5x", ["invalid:1.5x"]],
    ["\"a\" 'b'", ["string:a", "string:b"]],
    ['"""a\nb""" c', ["long-string:a\nb", "word:c"]],
    ["f'a' R\"\\n\" b''", ["string:fa", "string:R\\n", "string:b"]],
    ["of'a'", ["word:of'a", "invalid:'"]],
    ['"a""b"', ["string:a", "string:b"]],
    ['"a"f"b"', ["string:a", "string:fb"]],
    ["'abc", ["invalid:'abc"]],
    ['"a\nb', ['invalid:"a', "word:b"]],
    [
      "** // == != <= >= += -= << >> <> -> := ...",
      ["**", "//", "==", "!=", "<=", ">=", "+=", "-=", "<<", ">>", "<>", "->", ":=", "..."].map(
        (sign) => `punctuation:${sign}`,
      ),
    ],
    ["a==-1", ["word:a", "punctuation:==", "punctuation:-", "number:1"]],
    ["([{}])", ["(", "[", "{", "}", "]", ")"].map((sign) => `punctuation:${sign}`)],
    ["a # comment\nb", ["word:a", "word:b"]],
    ["'#' # '", ["string:#"]],
    ["a \\\n b \\\r\n c", ["word:a", "word:b", "word:c"]],
    ["a \\ b", ["word:a", "invalid:\\", "word:b"]],
    ["a\r\n\t\f\u00a0\u3000b", ["word:a", "word:b"]],
    ["“a”", ["invalid:“", "word:a", "invalid:”"]],
    ["\0 😀", ["invalid:\0", "invalid:😀"]],
  ] as const)("%j", (text, expected) => {
    expect(summary(text)).toEqual(expected);
  });

  it.each([
    ["'a", "a string that is never closed"],
    ["$", "`$` without a name"],
    ["“", "`“` is not a quote of the language"],
    ["\0", "unexpected character `U+0000`"],
    ["\ud800", "unexpected character `U+D800`"],
    ["007", "`007` is not a number"],
  ])("reports the problem of %j", (text, problem) => {
    expect(lex(text)[0]).toMatchObject({ kind: "invalid", problem });
  });

  it("ends with a token at the end of its range", () => {
    const source = createSourceFile("main.co", "one two three");
    expect(lexRange(source, 4, 7)).toEqual([
      { kind: "word", start: 4, end: 7, text: "two" },
      { kind: "end", start: 7, end: 7, text: "" },
    ]);
    expect(lexRange(source, 4, 100).at(-1)).toMatchObject({ kind: "end", start: 13 });
    expect(lexRange(createSourceFile("main.co", "a # b"), 0, 4)).toHaveLength(2);
  });

  it("treats `#` as a character if comments are off", () => {
    expect(lex("a # b", { comments: false })).toMatchObject([
      { text: "a" },
      { kind: "invalid", text: "#" },
      { text: "b" },
      {},
    ]);
  });

  it("stops with an invalid token when there are too many", () => {
    const tokens = lex("a ".repeat(100), { maxTokens: 3 });
    expect(tokens.map(({ kind }) => kind)).toEqual(["word", "word", "word", "invalid", "end"]);
    expect(tokens[3]).toMatchObject({ isLimit: true, start: 6 });
    expect(lex("a".repeat(10) + " ( ".repeat(400_000)).length).toBeLessThan(50_010);
  });

  it("tokens are in order, do not overlap, and leave out only blanks, comments and continuations", () => {
    const soup = fc.array(
      fc.oneof(
        fc.constantFrom("'", '"', "\\", "\n", "$", "f", "1", ".", "e", "_", "#", " ", "0x", "é", "😀", "\ud83d"),
        fc.string({ unit: anyCharacter, maxLength: 3 }),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(soup, (parts) => {
        const text = createSourceFile("main.co", parts.join("")).text;
        let end = 0;
        for (const token of lex(text)) {
          expect(text.slice(end, token.start)).toMatch(/^(?:[\s\u200b]|\p{Zs}|#[^\n]*|\\\r?\n)*$/u);
          expect(token.end > token.start || token.kind === "end").toBe(true);
          end = token.end;
        }
        expect(end).toBe(text.length);
      }),
      { numRuns: 300 },
    );
  });
});
