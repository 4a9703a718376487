import { isQuote } from "../../syntax/chars.js";
import { scanString, startsString, unescapeText } from "../../syntax/string-literal.js";
import type { Token } from "../../syntax/cursor.js";
import type { Expression } from "../ast.js";
import type { ParseState } from "./parse-state.js";
import type { TextRange } from "../../syntax/source-rows.js";

const COUNT_BRACES = /\{[0-9,]*[0-9][0-9,]*\}/y;

type Part = string | Expression;

/** template = { text | "{{" | "}}" | field } ; field = "{" expression [ "!" letter ] [ ":" format ] "}" */
class TemplateReader {
  readonly #text: string;
  #height = 0;

  constructor(readonly state: ParseState) {
    this.#text = state.source.text;
  }

  /** Reads the parts between two offsets. Sets the height of the state to that of the highest expression. */
  readParts(start: number, end: number): readonly Part[] {
    const { parts } = this.#read(start, end, false);
    this.state.height = this.#height;
    return parts;
  }

  /** Reads text and fields up to `end`; inside a format only up to the brace that closes the field. */
  #read(start: number, end: number, isFormat: boolean): { parts: readonly Part[]; at: number } {
    const { state } = this;
    const text = this.#text;
    const parts: Part[] = [];
    let pending = "";
    let from = start;
    let at = start;
    const flush = (to: number): void => {
      pending += unescapeText(text.slice(from, to).replaceAll("\r\n", "\n"));
    };
    while (at < end) {
      const character = text[at];
      const counted = character === "{" && state.keepsCountBraces ? this.#countBraces(at, end) : undefined;
      if (counted !== undefined) at = counted;
      else if (character === "\\") at += 2;
      else if (character === "{" || character === "}") {
        if (isFormat && character === "}") break;
        flush(at);
        if (text[at + 1] === character && at + 1 < end && !isFormat) {
          pending += character;
          at += 2;
        } else if (character === "}") {
          state.malformed("a single `}` in a template", { start: at, end: at + 1 }, "write `}}` for a brace");
        } else {
          if (pending !== "") parts.push(pending);
          pending = "";
          const field = this.#readField(at, end);
          parts.push(field.expression);
          at = field.at;
        }
        from = at;
      } else at += 1;
    }
    at = Math.min(at, end);
    flush(at);
    if (pending !== "") parts.push(pending);
    return { parts, at };
  }

  #countBraces(at: number, end: number): number | undefined {
    COUNT_BRACES.lastIndex = at;
    const found = COUNT_BRACES.exec(this.#text);
    return found && at + found[0].length <= end ? at + found[0].length : undefined;
  }

  #readField(open: number, end: number): { expression: Expression; at: number } {
    const { state } = this;
    const text = this.#text;
    const stop = this.#expressionEnd(open + 1, end);
    if (stop === end) {
      state.malformed(
        "`{` is never closed in this string",
        { start: open, end: open + 1 },
        this.#hintForOpenBrace(end),
      );
    }
    if (text.slice(open + 1, stop).trim() === "") {
      state.malformed("empty braces in a template", { start: open, end: stop + 1 }, "write `{{}}` for braces");
    }
    const kept = state.keepsCountBraces;
    state.keepsCountBraces = false;
    let expression = state.expressionIn(open + 1, stop);
    let height = state.height;
    let at = stop;
    if (text[at] === "!") {
      expression = this.#convert(expression, at, end);
      height += 1;
      at += 2;
    }
    if (text[at] === ":") {
      state.enter({ start: at, end: at + 1 });
      const format = this.#read(at + 1, end, true);
      state.leave();
      expression = applyFormat(expression, format.parts, { start: at + 1, end: format.at });
      height = Math.max(height, this.#height + 1) + 1;
      at = format.at;
    }
    if (at >= end || text[at] !== "}") {
      state.malformed("`{` is never closed in this string", { start: open, end: open + 1 }, "close it with `}`");
    }
    state.keepsCountBraces = kept;
    this.#height = Math.max(this.#height, height);
    return { expression, at: at + 1 };
  }

  /** A name right behind the string was meant to be in it: `"{$order["total"]}"`. */
  #hintForOpenBrace(end: number): string {
    const [quote = "", next = ""] = this.#text.slice(end, end + 2);
    if (!isQuote(quote.charCodeAt(0)) || !/[\p{L}\p{N}_$]/u.test(next)) return "write `{{` for a brace";
    const other = quote === '"' ? "'" : '"';
    return `the string ends at the next \`${quote}\`: write \`${other}\` for quotes inside its braces`;
  }

  #convert(expression: Expression, at: number, end: number): Expression {
    const letter = at + 1 < end ? this.#text[at + 1] : "";
    const name = CONVERSIONS.get(letter ?? "");
    const next = this.#text[at + 2];
    if (name === undefined || (next !== "}" && next !== ":")) {
      const place = { start: at, end: Math.min(at + 2, end) };
      this.state.malformed("unknown conversion in a template", place, "use `!r` or `!s`");
    }
    return name === "str" && next === "}" ? expression : callOf(name, expression);
  }

  /** Finds the end of the expression of a field: `}`, `:` or `!` outside strings and brackets, or the end of the string. */
  #expressionEnd(start: number, end: number): number {
    const text = this.#text;
    let depth = 0;
    let at = start;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (isQuote(code) && startsString(text, at, start)) {
        at = scanString(text, at, end).end;
        continue;
      }
      const character = text[at] ?? "";
      if (depth === 0 && (character === "}" || character === ":" || (character === "!" && text[at + 1] !== "="))) {
        return at;
      }
      if ("([{".includes(character)) depth += 1;
      else if (")]}".includes(character) && depth > 0) depth -= 1;
      at += 1;
    }
    return end;
  }
}

const CONVERSIONS: ReadonlyMap<string, string> = new Map(Object.entries({ r: "repr", s: "str", a: "ascii" }));

function callOf(name: string, ...values: readonly Expression[]): Expression {
  const first = values[0] as Expression;
  const last = values.at(-1) as Expression;
  const given = values.map((value) => ({ start: value.start, end: value.end, value }));
  return { kind: "Call", start: first.start, end: last.end, function: name, arguments: given };
}

function applyFormat(expression: Expression, parts: readonly Part[], place: TextRange): Expression {
  const [only = ""] = parts;
  if (parts.length === 0) return expression;
  const isPlain = parts.length === 1 && typeof only === "string";
  return callOf(
    "format",
    expression,
    isPlain ? { kind: "Literal", ...place, value: only } : { kind: "Template", ...place, parts },
  );
}

/** strings = string { string }; adjacent ones are one text, as in Python, unless the dialect keeps them apart */
export function parseStrings(state: ParseState): Expression {
  const { cursor } = state;
  const first = cursor.next();
  let last = first;
  let height = 0;
  const parts: Part[] = [];
  for (let token = first; ; token = cursor.next()) {
    last = token;
    for (const part of partsOf(state, token)) {
      const before = parts.at(-1);
      if (typeof part !== "string") height = Math.max(height, state.height);
      if (typeof part === "string" && typeof before === "string") parts[parts.length - 1] = before + part;
      else if (part !== "") parts.push(part);
    }
    const { kind } = cursor.peek();
    if (state.dialect.separateStrings || (kind !== "string" && kind !== "long-string")) break;
  }
  const place = { start: first.start, end: last.end };
  state.height = height;
  state.grow(place);
  if (parts.every((part) => typeof part === "string")) return { kind: "Literal", ...place, value: parts.join("") };
  return { kind: "Template", ...place, parts };
}

function partsOf(state: ParseState, token: Token): readonly Part[] {
  const prefix = token.prefix?.toLowerCase();
  if (prefix === "b") state.malformed("bytes are not supported", token, "leave out the `b`");
  const isTemplate = prefix === "f" || (state.dialect.interpolateStrings && prefix !== "r");
  state.height = 0;
  if (!isTemplate || !/[{}]/.test(token.text)) return [String(token.value ?? "")];
  const quotes = token.kind === "long-string" ? 3 : 1;
  return new TemplateReader(state).readParts(token.start + (token.prefix?.length ?? 0) + quotes, token.end - quotes);
}
