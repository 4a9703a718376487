import * as fc from "fast-check";
import { anyCharacter } from "../support/any-character.js";

/* Sources of random expressions, generated as text because the parser makes the trees under test. */

const name = fc.constantFrom("a", "b", "long_name", "x1");

const number = fc.oneof(
  fc.nat(1000).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }).map(String),
  fc.constantFrom("0x1f", "1_000", "1e3", ".5", "2."),
);

/** Any text, escaped so that it fits between these quotes. */
function quoted(quote: string): fc.Arbitrary<string> {
  return fc
    .string({
      unit: fc.oneof(
        fc.constantFrom("'", '"', "\\", "{", "}", "\n", "\r"),
        fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
      ),
      maxLength: 6,
    })
    .map((text) => {
      const inside = text
        .replace(/[\\'"]/g, "\\$&")
        .replaceAll("\n", "\\n")
        .replaceAll("\r", "\\r");
      return quote + inside + quote;
    });
}

/** A template whose fields contain the results of `field`, which must not contain its quote. */
function template(quote: string, field: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const text = fc.constantFrom("", "x ", "{{", "}}", "\\n", "é", "\\x41", "\\'");
  const conversion = fc.constantFrom("", "!r", "!s", "!a");
  const format = fc.oneof(
    fc.constantFrom("", ":>5", ":.2f", ":*^10"),
    field.map((width) => `:{ ${width} }`),
  );
  const part = fc
    .tuple(text, field, conversion, format)
    .map(([before, inner, convert, spec]) => `${before}{ ${inner} ${convert}${spec}}`);
  return fc.array(part, { maxLength: 3 }).map((parts) => `f${quote}${parts.join("")}${quote}`);
}

const BINARY = [
  "+",
  "-",
  "*",
  "/",
  "//",
  "%",
  "**",
  "&",
  "|",
  "^",
  "<<",
  ">>",
  "and",
  "or",
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "not in",
  "is",
  "is not",
];

function expressionOver(strings: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { node } = fc.letrec<{ node: string; leaf: string }>((tie) => ({
    leaf: fc.oneof(
      name.map((text) => `$${text}`),
      number,
      strings,
      fc.constantFrom("True", "False", "None"),
    ),
    node: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      tie("leaf"),
      fc
        .tuple(tie("node"), fc.constantFrom(...BINARY), tie("node"))
        .map(([left, sign, right]) => `${left} ${sign} ${right}`),
      fc.tuple(fc.constantFrom("-", "+", "~", "not "), tie("node")).map(([sign, operand]) => `(${sign}${operand})`),
      fc.tuple(tie("node"), tie("node"), tie("node")).map(([yes, test, no]) => `(${yes} if ${test} else ${no})`),
      tie("node").map((inner) => `(${inner})`),
      fc.array(tie("node"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc
        .array(fc.tuple(tie("node"), tie("node")), { maxLength: 2 })
        .map((entries) => `{${entries.map(([key, value]) => `${key}: ${value}`).join(", ")}}`),
      fc.tuple(tie("node"), name).map(([object, key]) => `(${object}).${key}`),
      fc.tuple(tie("node"), tie("node")).map(([object, index]) => `(${object})[${index}]`),
      fc.tuple(tie("node"), tie("node"), tie("node")).map(([object, from, to]) => `(${object})[${from}:${to}:]`),
      fc
        .tuple(fc.constantFrom("len", "str", "abs", "sorted", "max"), tie("node"))
        .map(([callee, value]) => `${callee}(${value})`),
      fc
        .tuple(tie("node"), fc.constantFrom("lower()", "get(1)", "split(maxsplit=1)", "count(1)"))
        .map(([object, call]) => `(${object}).${call}`),
    ),
  }));
  return node;
}

const innermost = expressionOver(quoted("'"));

const inTemplates = expressionOver(fc.oneof(quoted("'"), template("'", expressionOver(fc.constant("$s")))));

/** Texts that are expressions, with templates in templates. */
export const expressionText: fc.Arbitrary<string> = expressionOver(
  fc.oneof(
    quoted('"'),
    template('"', innermost),
    template('"""', fc.oneof(inTemplates, expressionOver(template('"', innermost)))),
  ),
);

/** Texts of the tokens of expressions that are rarely expressions. */
export const tokenSoup: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ...'$a $ 1 1.5 .5 ( ) [ ] { } , : . ; = == != < <= ** // + - * / % & | ^ ~ << ! ? @ \\ # ... \'a\' "b" """ \' " f\' f" {{ }} true True None not and or in is if else for lambda len( .lower( \n é 😀 \0 “ 0x 1_ 1e5'.split(
        " ",
      ),
      " ",
    ),
    { maxLength: 25 },
  )
  .chain((parts) => fc.constantFrom("", " ").map((separator) => parts.join(separator)));
