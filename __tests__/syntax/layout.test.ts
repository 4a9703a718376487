import { describe, expect, it } from "@jest/globals";

import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { layOut, type LayoutLine } from "../../src/syntax/layout.js";
import { type LayoutOptions } from "../../src/syntax/logical-line.js";

const OPTIONS: LayoutOptions = {
  trailingWords: new Set(["or", "and"]),
  definition: /define\s/y,
  statement: /(?:say|ask)\b/y,
  freeText: /ask\s/y,
  maxDepth: 10,
};

function lay(text: string, options: Partial<LayoutOptions> = {}): readonly LayoutLine[] {
  return layOut(createSourceFile("test.co", text), { ...OPTIONS, ...options });
}

/** One row per line: two spaces per level, the compared text, and the problems of the line. */
function show(lines: readonly LayoutLine[], depth = 0): string {
  return lines
    .map((line) => {
      const notes = [
        ...line.comments.map((comment) => `#${comment}`),
        ...(line.kind === "docstring" ? ["docstring"] : []),
        ...(line.strayDedent ? ["stray"] : []),
        ...(line.tooDeep ? ["too deep"] : []),
        ...(line.oddBlank ? [`odd ${line.oddBlank.end - line.oddBlank.start}`] : []),
        ...(line.openString === undefined ? [] : [`string +${line.openString - line.start}`]),
      ];
      const text = line.text.replace(/ +/g, " ").replaceAll("\n", "⏎");
      const own = `${"  ".repeat(depth)}${text}${notes.length > 0 ? ` <${notes.join(", ")}>` : ""}`;
      return [own, ...(line.children.length > 0 ? [show(line.children, depth + 1)] : [])].join("\n");
    })
    .join("\n");
}

describe("logical lines", () => {
  it.each([
    ["comments and blank lines are no lines", "# a\n\n  \nsay x # b\n", "say x <#a>"],
    ["comments above a line are attached to it", "# a\n#b\n\nsay x", "say x <#a, #b>"],
    ["a docstring does not end them", '# a\n"""doc"""\nsay x', '"""doc""" <docstring>\nsay x <#a>'],
    ["a number sign in a string is text", "say \"a # b\" 'c # d' # e", "say \"a # b\" 'c # d'"],
    ["an apostrophe opens nothing", "say don't # x", "say don't"],
    ["nor does an unclosed single quote", "say 'n roll # x", "say 'n roll"],
    ["an unclosed double quote reaches to the end of its row", 'say "a # b\nsay c', 'say "a # b\nsay c'],
    ["carriage returns belong to the line end", "say x\r\n  say y\r\n", "say x\n  say y"],
    ["a backslash joins", "say 1 + \\\n  2", "say 1 + 2"],
    ["a backslash at the end joins nothing", "say 1 \\", "say 1"],
    ["a backslash in a comment joins nothing", "say 1 # \\\nsay 2", "say 1\nsay 2"],
    ["a trailing word joins", "say a or # first\n\n# second\n  b and\nc", "say a or b and c"],
    ["but not with a definition", "say a or\ndefine b", "say a or\ndefine b"],
    ["a word that ends like one joins nothing", "say door\nsay land", "say door\nsay land"],
    ["brackets join", "say (1,\n# note\n\n 2, [3\n]\n) # end\nsay x", "say (1, 2, [3 ] )\nsay x"],
    ["brackets in strings do not count", 'say (")",\n 1)', 'say (")", 1)'],
    ["closing brackets alone mean nothing", "say )\nsay x", "say )\nsay x"],
    ["an unclosed bracket ends before a statement", "say (1\nsay x", "say (1\nsay x"],
    ["even a deeper one", "say (1\n  say x", "say (1\n  say x"],
    ["an unclosed bracket ends before a definition", "say (1\n  2\ndefine x", "say (1 2\ndefine x"],
    ["brackets in free text mean nothing", "ask :(\n  b", "ask :(\n  b"],
    ["long strings may cross rows", "say '''a # b\n c''' # d\nsay x", "say '''a # b⏎ c'''\nsay x"],
    ["unclosed long strings end at their row", "say '''a\nsay x", "say '''a\nsay x"],
  ])("%s", (_, text, expected) => {
    expect(show(lay(text))).toBe(expected);
  });
});

describe("texts at the beginning of a line", () => {
  it.each([
    ["end at their closing quote", '"a" # b', '"a"'],
    ["may hold quotes", '"say "hi" to me" # b', '"say "hi" to me"'],
    ["and number signs between them", '"say "hi #5" now"', '"say "hi #5" now"'],
    ["may end in a backslash", '"C:\\"\nsay x', '"C:\\"\nsay x'],
    ["may cross rows", '"one\n   # two\n three" # c\nsay x', '"one⏎ # two⏎ three"\nsay x'],
    ["are open up to a definition", '"one\n two\ndefine x', '"one <string +0>\ndefine x'],
    ["or up to the end", '"one\n two', '"one <string +0>'],
    ["do not take in another text", '"one\n"two"', '"one <string +0>\n"two"'],
    ["a quote alone is open", '"', '" <string +0>'],
  ])("%s", (_, text, expected) => {
    expect(show(lay(text))).toBe(expected);
  });
});

describe("docstrings", () => {
  it.each([
    ["on one line", '"""a # b""" # c\nsay x', '"""a # b""" <docstring>\nsay x'],
    ["over several", 'say y\n  """a\n\n  b\n  """\n  say x', 'say y\n  """a⏎⏎ b⏎ """ <docstring>\n  say x'],
    ["never closed", '"""a\nsay x\ndefine b', '"""a⏎say x <docstring, string +0>\ndefine b'],
    [
      "not closed before a definition",
      '"""a\ndefine b\n  """c"""',
      '"""a <docstring, string +0>\ndefine b\n  """c""" <docstring>',
    ],
  ])("%s", (_, text, expected) => {
    expect(show(lay(text))).toBe(expected);
  });
});

describe("indentation", () => {
  it.each([
    ["nests", "say a\n  say b\n    say c\n  say d\nsay e", "say a\n  say b\n    say c\n  say d\nsay e"],
    ["any depth per block", "say a\n      say b\nsay c\n say d", "say a\n  say b\nsay c\n  say d"],
    ["may begin anywhere", "    say a\n      say b\n    say c", "say a\n  say b\nsay c"],
    ["fits no block", "say a\n    say b\n  say c\n  say d", "say a\n  say b\n  say c <stray>\n  say d"],
    ["fits no block, two levels up", "say a\n  say b\n    say c\n say d", "say a\n  say b\n    say c\n  say d <stray>"],
    ["less than the first line has", "  say a\nsay b\nsay c", "say a\nsay b <stray>\nsay c"],
    ["with tabs", "say a\n\tsay b\n \t\tsay c", "say a\n  say b <odd 1>\n    say c <odd 2>"],
    ["with other blanks", "say a\n\u00A0 say b", "say a\n  say b <odd 1>"],
  ])("%s", (_, text, expected) => {
    expect(show(lay(text))).toBe(expected);
  });

  it("is kept at the deepest level allowed", () => {
    expect(show(lay("say a\n say b\n  say c\n   say d\n say e", { maxDepth: 2 }))).toBe(
      "say a\n  say b\n  say c <too deep>\n  say d <too deep>\n  say e",
    );
  });
});

describe("places", () => {
  it("the text of a joined line has the length of its range", () => {
    const source = "define a\n  say 1 + \\ # x\n  2 or # y\n  3";
    const [line] = lay(source)[0]?.children ?? [];
    expect(line?.text.length).toBe((line?.end ?? 0) - (line?.start ?? 0));
  });

  it.each([
    ["unclosed brackets", "say (\n"],
    ["unclosed texts", '"a\n'],
    ["apostrophes", "say \\'"],
    ["escaped long quotes", 'say \\"""'],
    ["docstrings", '"""\n'],
    ["comments before docstrings", '#\n"""a"""\n'],
    ["trailing words", "say or\n"],
    ["brackets", "(["],
    ["blanks", "say  "],
  ])("are found in a large source of %s", (_, piece) => {
    const source = piece.repeat(Math.ceil(300_000 / piece.length));
    const waiting = [...lay(source)];
    let end = 0;
    for (let line = waiting.shift(); line; line = waiting.shift()) {
      expect(line.start).toBeGreaterThanOrEqual(end);
      end = line.end;
      waiting.unshift(...line.children);
      if (waiting.length > 1000) break;
    }
    expect(end).toBeLessThanOrEqual(source.length);
  });
});
