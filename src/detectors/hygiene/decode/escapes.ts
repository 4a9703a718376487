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
const UNIT = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|U([0-9a-f]{8})|([0-3][0-7]{2})(?![0-9a-f]{3}))/y;

const STYLE = /(?:\\[0-9a-f]{2,5} |\\0[0-9a-f]{5} ?){4,}(?:\\[0-9a-f]{2,6}(?![0-9a-z]))?/iy;

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
  const unit = /^u([0-9a-f]{4})/i.exec(text.slice(at + 1, at + 6))?.[1];
  const wide = unit === undefined ? undefined : characterOf(Number.parseInt(unit, 16));
  if (wide !== undefined) {
    editor.replace(at, at + 6, wide, "percent");
    return at + 6;
  }
  return decodeByte(text, at, 1, (end, character) => editor.replace(at, end, character, "percent"));
}

/** Sequences of quoted-printable text near one another from which on they are no parameters or sums. */
const LEAST_QUOTED = 3;
const NEAR = 64;
const QUOTED = /=(?:[0-9A-F]{2}(?=[=A-Za-z])|\r?\n(?==))/g;

/** Decodes the `=69` of quoted-printable text at an offset, where others stand near it, or removes the end of its line. */
export function decodeQuotedPrintable(text: string, at: number, editor: TextEditor): number {
  const next = text.charCodeAt(at + 1);
  const isLine = next === 0x0a || (next === 0x0d && text.charCodeAt(at + 2) === 0x0a);
  if (!isLine && hexByte(text, at + 1) < 0) return at;
  const near = text.slice(Math.max(0, at - NEAR), at + NEAR);
  // Letters of several bytes are certain, and lines end within them.
  const isWide = lengthOfCharacter(hexByte(text, at + 1)) > 1;
  if (!isWide && (near.match(QUOTED)?.length ?? 0) < LEAST_QUOTED) return at;
  if (!isLine) return decodeByte(text, at, 1, (end, letter) => editor.replace(at, end, letter, "quoted-printable"));
  const end = next === 0x0a ? at + 2 : at + 3;
  editor.replace(at, end, "", "quoted-printable");
  return end;
}

/** Decodes the escape sequence of a programming language at an offset. */
export function decodeEscape(text: string, at: number, editor: TextEditor): number {
  if (text.charAt(at + 1) === "x") {
    return decodeByte(text, at, 2, (end, character) => editor.replace(at, end, character, "hex"));
  }
  UNIT.lastIndex = at;
  const match = UNIT.exec(text);
  if (match === null) return decodeBreak(text, at, editor) ?? decodeStyle(text, at, editor);
  const [whole, braced, unit, long, octal] = match;
  const code = octal === undefined ? Number.parseInt(braced ?? unit ?? long ?? "", 16) : Number.parseInt(octal, 8);
  const character = characterOf(code);
  if (character === undefined) return at;
  editor.replace(at, at + whole.length, character, "escapes");
  return at + whole.length;
}

/** Escape of a line break or tab right before a word. */
const BREAK = /\\[nrt](?=[\p{L}\p{N}])/uy;
/** Path of a file on a drive or share, or relative to a folder, in which `\n` is the start of a name. */
const PATH = /(?:^|[\s"'(<=])(?:[a-z]:|\\|\.{1,2}|~|%[a-z]{2,24}%)\\[^\s"'<>|]*$/i;
const LONGEST_PATH = 120;

/** Decodes the line break or tab of JSON or a program that hides where a word begins; undefined if none is at the offset. */
function decodeBreak(text: string, at: number, editor: TextEditor): number | undefined {
  BREAK.lastIndex = at;
  if (!BREAK.test(text) || text.charAt(at - 1) === "\\") return undefined;
  if (PATH.test(text.slice(Math.max(0, at - LONGEST_PATH), at + 1))) return undefined;
  const end = at + 2;
  editor.replace(at, end, text.charAt(at + 1) === "t" ? "\t" : "\n", "escapes");
  return end;
}

/** Decodes the escape sequences of a style sheet: `\69 \67`, or six digits without blanks. */
function decodeStyle(text: string, at: number, editor: TextEditor): number {
  STYLE.lastIndex = at;
  const [whole] = STYLE.exec(text) ?? [];
  if (whole === undefined) return at;
  const characters = whole.match(/[0-9a-f]+/gi)?.map((digits) => characterOf(Number.parseInt(digits, 16))) ?? [];
  if (characters.includes(undefined)) return at;
  editor.replace(at, at + whole.length, characters.join(""), "escapes");
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
