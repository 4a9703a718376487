import { escapeCode } from "../../src/expressions/values/format.js";

/** Quotes to escape, and how braces are kept from beginning a field. */
export interface QuoteStyle {
  readonly quotes: "double" | "both";
  readonly braces: "plain" | "doubled" | "escaped";
}

const SPECIAL = /["'\\{}]|[\p{Cc}\p{Cs}]/gu;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ['"', '\\"'],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** The inside of a string literal whose value is `text`, on one line. */
export function quoteText(text: string, style: QuoteStyle): string {
  return text.replace(SPECIAL, (character) => {
    if (character === "'") return style.quotes === "both" ? "\\'" : character;
    if (character === "{" || character === "}") {
      if (style.braces === "plain") return character;
      return style.braces === "doubled" ? character + character : escapeCode(character);
    }
    return ESCAPES.get(character) ?? escapeCode(character);
  });
}
