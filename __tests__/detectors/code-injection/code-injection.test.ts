import { describe, expect, it } from "@jest/globals";
import { ConfigError } from "../../../src/diagnostics/errors.js";
import { codeInjection, type CodeInjectionOptions, Scanner } from "../../../src/detectors/index.js";
import { SHELL, SQL, TEMPLATE } from "../../../src/eval/samples/code-payloads.js";
import type { PayloadFamily } from "../../../src/eval/samples/payload-family.js";
import { SCRIPT } from "../../../src/eval/samples/script-payloads.js";

const typesIn = (options: CodeInjectionOptions): ((text: string) => readonly string[]) => {
  const scanner = new Scanner([codeInjection(options)]);
  return (text) => scanner.scan(text).map(({ type }) => type);
};
const all = typesIn({});
const rows = (kind: string, families: readonly PayloadFamily[]) =>
  families.map(({ name, payloads }) => [`${kind}: ${name}`, payloads] as const);

describe("payloads of a family", () => {
  it.each([...rows("sql", SQL), ...rows("shell", SHELL), ...rows("template", TEMPLATE), ...rows("script", SCRIPT)])(
    "%s",
    (name, payloads) => {
      const kind = name.slice(0, name.indexOf(":"));
      const find = typesIn({ kinds: [kind as "sql"] });
      expect(payloads.filter((payload) => !find(payload).includes(`${kind.toUpperCase()}_INJECTION`))).toEqual([]);
    },
  );
});

describe("text without code", () => {
  it.each([
    "Select the best union from the list, or order by 5 pm; drop me a line.",
    'I need a 16" or 18" chain and a 7/8" clasp -- thanks!',
    "If it's 5 and x = 3, what is y? Don't answer; it's fine.",
    "The students' and teachers' union selected a few of them.",
    "O'Brien and O'Neil's case: when was it, and who is in?",
    "a = 1 and b = 2",
    "SELECT name, city FROM customers WHERE city = 'Berlin' AND age = 30",
    "Use the <script> tag or an <img> with an alt text.",
    "2 < 3 and 5 > 4",
    '<a href="/path">link</a> and <img src="cat.png" alt="cat">',
    "img.onload = () => render();",
    "<button onClick={handleClick}>Save</button>",
    "JavaScript: the good parts",
    "Hello {{ name }}, {% for item in items %}{{ item.title }}{% endfor %}",
    "${Title:Senior} engineer at ${Company Type: Big Company}",
    "${{ secrets.TOKEN }} and #{user.name} and <%= title %>",
    "| id | name | date |\n| -- | ---- | ---- |\n| 1 | cat | 2024 |",
    "cats & dogs; ls and id are commands; echo too",
    "Run `npm install && npm test`, then `git push`.",
    "AT&T; R&D; Q&A",
    "Rm. 5, -rf is an option",
    "const name = 'Ada'; alert(name); // greets",
    'log("a" + fetch(url) + "b")',
    "Find / replace; find more - or fewer - of them",
    "We have tea (or (if you like) coffee",
    "posts; ps: bring cake",
    "Please update the plan; set it to 5 and create a table of contents.",
    "1,1--",
    "9/16 plugs and tunnels",
  ])("finds nothing in %j", (text) => {
    expect(all(text)).toEqual([]);
  });
});

describe("values within a text", () => {
  it.each([
    "Please look up this value: 1 order by 3--",
    '{"id": "1 or 1=1 --"}',
    '{"id": "x\' or 5=5"}',
    "name: 5 and sleep(5)",
  ])("finds SQL in %s", (text) => {
    expect(all(text)).toEqual(["SQL_INJECTION"]);
  });

  it.each([
    "1.0.8 / 2016-09-29\n------------",
    "neither `x` or `y` = 5 is modified",
    "ratio: 3 or 4, time: 5 and a half",
  ])("finds nothing in %j", (text) => {
    expect(all(text)).toEqual([]);
  });
});

describe("codeInjection", () => {
  it.each([
    ["sqli", "1' or '1'='1", ["SQL_INJECTION"]],
    ["xss", "<img src=x onerror=alert(1)>", ["SCRIPT_INJECTION"]],
    ["code", "__import__('os').system('id')", ["SHELL_INJECTION"]],
    ["template", "{{7*7}}", ["TEMPLATE_INJECTION"]],
    ["sql", "{{7*7}}", []],
  ] as const)("reads the kind %s", (kind, text, expected) => {
    expect([...new Set(typesIn({ kinds: [kind] })(text))]).toEqual(expected);
  });

  it.each([
    [{ kinds: ["sqll"] }, /unknown name `sqll`.*did you mean `sqli?`/s],
    [{ kinds: [] }, /empty list/],
    [{ kind: ["sql"] }, /unknown option `kind` of `codeInjection`/],
  ])("refuses %j", (options, message) => {
    expect(() => codeInjection(options as CodeInjectionOptions)).toThrow(message);
    expect(() => codeInjection(options as CodeInjectionOptions)).toThrow(ConfigError);
  });

  it.each([
    ["quotes", "' or x\" and '"],
    ["parentheses", "or (("],
    ["tags", "<a b=\"<a c='"],
    ["comments", "/*-- #\n"],
    ["separators", ";|&`$(cat"],
    ["expressions", "{{${<%#{"],
    ["words", "select case when and or union "],
  ])("reads 100 kB of %s", (_name, part) => {
    expect(() => all(part.repeat(Math.ceil(100_000 / part.length)))).not.toThrow();
  });

  it("accepts lone surrogates and NUL", () => {
    expect(all("\u{d800}1'\0or\0'1'='1\u{dc00}")).toEqual(["SQL_INJECTION"]);
  });
});
