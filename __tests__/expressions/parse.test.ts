import { describe, expect, it } from "@jest/globals";
import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { Expression } from "../../src/expressions/ast.js";
import { childrenOf } from "../../src/expressions/walk-expression.js";
import { freeVariables } from "../../src/expressions/walk-expression.js";
import { parseArguments, parseExpression } from "../../src/expressions/parse/parse.js";
import { parseText } from "./run-expression.js";

/** A tree with every operation in parentheses, to see what binds to what. */
function shape(node: Expression): string {
  switch (node.kind) {
    case "Literal":
      return JSON.stringify(node.value);
    case "Variable":
      return node.name;
    case "Unary":
      return `(${node.operator} ${shape(node.operand)})`;
    case "Binary":
    case "Logical":
      return `(${shape(node.left)} ${node.operator} ${shape(node.right)})`;
    case "Compare":
      return `(${shape(node.first)}${node.rest.map((link) => ` ${link.operator} ${shape(link.operand)}`).join("")})`;
    case "Conditional":
      return `(${shape(node.test)} ? ${shape(node.whenTrue)} : ${shape(node.whenFalse)})`;
    case "Member":
      return `${shape(node.object)}.${node.name}`;
    case "Call":
      return `${node.function}(${node.arguments.map((argument) => shape(argument.value)).join(" ")})`;
    case "MethodCall":
      return `${shape(node.object)}.${node.method}(${node.arguments.map((argument) => shape(argument.value)).join(" ")})`;
    case "Template":
      return `<${node.parts.map((part) => (typeof part === "string" ? part : shape(part))).join("|")}>`;
    default:
      return `${node.kind}[${childrenOf(node).map(shape).join(" ")}]`;
  }
}

describe("precedence", () => {
  it.each([
    ["1 + 2 * 3", "(1 + (2 * 3))"],
    ["1 - 2 - 3", "((1 - 2) - 3)"],
    ["2 ** 3 ** 4", "(2 ** (3 ** 4))"],
    ["-2 ** 2", "(- (2 ** 2))"],
    ["2 ** -1", "(2 ** (- 1))"],
    ["-$a.b", "(- a.b)"],
    ["1 | 2 ^ 3 & 4 << 5 + 6", "(1 | (2 ^ (3 & (4 << (5 + 6)))))"],
    ["not $a == $b", "(not (a == b))"],
    ["not $a and $b", "((not a) and b)"],
    ["$a or $b and $c", "(a or (b and c))"],
    ["$a or $b or $c", "((a or b) or c)"],
    ["$a and $b if $c else $d or $e", "(c ? (a and b) : (d or e))"],
    ["$a if $b else $c if $d else $e", "(b ? a : (d ? c : e))"],
    ["1 < $a <= 3 != 4", "(1 < a <= 3 != 4)"],
    ["(1 < $a) < 3", "((1 < a) < 3)"],
    ["$a not in $b is not $c", "(a not in b is not c)"],
    ["$a <> 1", "(a != 1)"],
    ["not $a in $b", "(not (a in b))"],
    ["1 + 2 < 3 | 4", "((1 + 2) < (3 | 4))"],
    ["~-+1", "(~ (- (+ 1)))"],
    ["$a[1][2:3].b", "Slice[Index[a 1] 2 3].b"],
    ["$a[:]", "Slice[a]"],
    ["$a[1 if $b else 2]", "Index[a (b ? 1 : 2)]"],
    ["[1, [2], ]", "List[1 List[2]]"],
    ["{'a': 1, 'b': {}}", 'Map["a" 1 "b" Map[]]'],
    ["(1, 2)", "List[1 2]"],
    ["('a' 'b', )", 'List["ab"]'],
    ["len($a) + $b.lower().strip()", "(len(a) + b.lower().strip())"],
    ["f'{$a}-{$b + 1}'", "<a|-|(b + 1)>"],
    ["'x' f'{$a}' 'y' 'z'", "<x|a|yz>"],
    ["f'{$a:.2f}{$b!r:>{$c}}'", '<format(a ".2f")|format(repr(b) <>|c>)>'],
    ["f'plain'", '"plain"'],
    ["f'{{}}'", '"{}"'],
    ["f'''a{$b}\nc'''", "<a|b|\nc>"],
    ["1 + \\\n 2", "(1 + 2)"],
    ["[1, # one\n 2]", "List[1 2]"],
    ["True and None", "(true and null)"],
  ])("%s", (text, expected) => {
    expect(shape(parseText(text))).toBe(expected);
  });
});

describe("places", () => {
  it.each([
    ["$a + $b * 2", "Binary", ["$a", "$b * 2"]],
    ["  $a.b ", "Member", ["$a"]],
    ["($a + 1) * 2", "Binary", ["($a + 1)", "2"]],
    ["not ($a)", "Unary", ["($a)"]],
    ["f'é{ $a + 1 }{$b:>{$w}}'", "Template", ["$a + 1", "$b:>{$w}"]],
    ["len($a, )", "Call", ["$a"]],
    ['$a["k"]', "Index", ["$a", '"k"']],
    ["'a' 'b' == $c", "Compare", ["'a' 'b'", "$c"]],
  ])("%s", (text, kind, children) => {
    const source = createSourceFile("main.co", `# before\n${text}`);
    const start = source.text.length - text.length;
    const { expression } = parseExpression(source, start, source.text.length, COLANG_1_DIALECT);
    if (!expression) throw new Error("no expression");
    const textOf = (node: Expression): string => source.text.slice(node.start, node.end);
    expect(expression.kind).toBe(kind);
    expect(textOf(expression)).toBe(text.trim());
    expect(childrenOf(expression).map(textOf)).toEqual(children);
  });

  it("reads nothing outside its range", () => {
    const source = createSourceFile("main.co", 'do x("a", 1) "b"');
    const { expression } = parseExpression(source, 5, 8, COLANG_1_DIALECT);
    expect(expression).toEqual({ kind: "Literal", start: 5, end: 8, value: "a" });
  });
});

describe("arguments", () => {
  it.each([
    ['a=1, $x, "s", k="v"', ["a=1", "x", '"s"', 'k="v"']],
    ["", []],
    ["1,", ["1"]],
    ["$k=1, $j", ["k=1", "j"]],
    ["a=$b == 1", ["a=(b == 1)"]],
    ["if=1, in=2", ["if=1", "in=2"]],
    ["b=[1, 2], c={'k': 1}, d=None", ["b=List[1 2]", 'c=Map["k" 1]', "d=null"]],
    ["a='hi :)'", ['a="hi :)"']],
  ])("%s", (text, expected) => {
    const result = parseArguments(createSourceFile("main.co", text), 0, text.length, COLANG_1_DIALECT);
    expect(result.diagnostics).toEqual([]);
    const shapes = result.arguments.map(({ name, value }) => (name ? `${name}=` : "") + shape(value));
    expect(shapes).toEqual(expected);
  });
});

describe("free variables", () => {
  it.each([
    ["1", []],
    ["$b + $a * $b", ["b", "a"]],
    ["$x if $y else $z", ["x", "y", "z"]],
    ["f'{$a:{$w}}' in {$k: [$v]}", ["a", "w", "k", "v"]],
    ["$m.get($k, ndefault=$d)[$i:$j:$s]", ["m", "k", "d", "i", "j", "s"]],
  ])("%s", (text, expected) => {
    expect(freeVariables(parseText(text))).toEqual(expected);
  });
});
