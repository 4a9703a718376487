import type { TextEditor } from "../edits.js";
import { hexByte, isControl, lengthOfCharacter, readText } from "./bytes.js";

/** Named entities that stand for ASCII characters. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  tab: "\t",
  newline: "\n",
  excl: "!",
  num: "#",
  dollar: "$",
  percnt: "%",
  lpar: "(",
  rpar: ")",
  ast: "*",
  plus: "+",
  comma: ",",
  period: ".",
  sol: "/",
  colon: ":",
  semi: ";",
  equals: "=",
  quest: "?",
  commat: "@",
  lsqb: "[",
  lbrack: "[",
  bsol: "\\",
  rsqb: "]",
  rbrack: "]",
  hat: "^",
  lowbar: "_",
  grave: "`",
  lcub: "{",
  lbrace: "{",
  verbar: "|",
  vert: "|",
  rcub: "}",
  rbrace: "}",
  hyphen: "-",
  dash: "-",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
};
const ENTITY = /&(?:#(\d{1,9})|#x([0-9a-f]{1,8})|([a-z]{2,8})(?=;));?/iy;
const UNIT = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|U([0-9a-f]{8})|([0-3][0-7]{2}))/y;

/** Decodes the character reference of HTML at an offset. Returns the offset after it, or `at` if there is none. */
export function decodeEntity(text: string, at: number, editor: TextEditor): number {
  ENTITY.lastIndex = at;
  const match = ENTITY.exec(text);
  if (match === null) return at;
  const [whole, decimal, hexadecimal, name = ""] = match;
  const code = decimal === undefined ? hexadecimal && Number.parseInt(hexadecimal, 16) : Number(decimal);
  const lower = name.toLowerCase();
  const named = Object.hasOwn(ENTITIES, lower) ? ENTITIES[lower] : undefined;
  const character = typeof code === "number" ? characterOf(code) : named;
  if (character === undefined) return at;
  editor.replace(at, at + whole.length, character, "entities");
  return at + whole.length;
}

/** Decodes the `%` sequence at an offset. */
export function decodePercent(text: string, at: number, editor: TextEditor): number {
  return decodeByte(text, at, 1, (end, character) => editor.replace(at, end, character, "percent"));
}

/** Decodes the escape sequence of a programming language at an offset. */
export function decodeEscape(text: string, at: number, editor: TextEditor): number {
  if (text.charAt(at + 1) === "x") {
    return decodeByte(text, at, 2, (end, character) => editor.replace(at, end, character, "hex"));
  }
  UNIT.lastIndex = at;
  const match = UNIT.exec(text);
  if (match === null) return at;
  const [whole, braced, unit, long, octal] = match;
  const code = octal === undefined ? Number.parseInt(braced ?? unit ?? long ?? "", 16) : Number.parseInt(octal, 8);
  const character = characterOf(code);
  if (character === undefined) return at;
  editor.replace(at, at + whole.length, character, "escapes");
  return at + whole.length;
}

/** Decodes a character of UTF-8 whose bytes are written as two digits after a prefix of some characters. */
function decodeByte(
  text: string,
  at: number,
  prefix: number,
  accept: (end: number, character: string) => void,
): number {
  const size = prefix + 2;
  const length = lengthOfCharacter(hexByte(text, at + prefix));
  if (length === 0) return at;
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index++) {
    const from = at + index * size;
    const byte = text.startsWith(text.slice(at, at + prefix), from) ? hexByte(text, from + prefix) : -1;
    if (byte < 0) return at;
    bytes[index] = byte;
  }
  const character = length === 1 ? String.fromCharCode(bytes[0] ?? 0) : readText(bytes);
  if (character === undefined) return at;
  accept(at + length * size, character);
  return at + length * size;
}

function characterOf(code: number): string | undefined {
  return code > 0x10ffff || (code < 128 && isControl(code)) ? undefined : String.fromCodePoint(code);
}
