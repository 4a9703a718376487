import { codeAt } from "../../scan/code-at.js";
import { FUNCTIONS, KEYWORDS, KIND, type Kind, LONGEST_KEYWORD } from "./keywords.js";

/** Tokens of a text as SQL reads it. Quotes are tokens of their own, so that no context has to be guessed. */
export class SqlTokens {
  kinds = new Uint8Array(1024);
  starts = new Int32Array(1024);
  ends = new Int32Array(1024);
  count = 0;
  /** Indexes of line comments. */
  lineComments: number[] = [];

  /** Adds a token and returns the offset after it. */
  push(kind: Kind, start: number, end: number): number {
    const at = this.count++;
    if (at === this.kinds.length) this.#grow();
    this.kinds[at] = kind;
    this.starts[at] = start;
    this.ends[at] = end;
    return end;
  }

  clear(): void {
    this.count = 0;
    this.lineComments = [];
    // A long text leaves no large buffers behind.
    if (this.kinds.length <= MOST_KEPT) return;
    this.kinds = new Uint8Array(1024);
    this.starts = new Int32Array(1024);
    this.ends = new Int32Array(1024);
  }

  #grow(): void {
    const size = this.kinds.length * 2;
    const [kinds, starts, ends] = [new Uint8Array(size), new Int32Array(size), new Int32Array(size)];
    kinds.set(this.kinds);
    starts.set(this.starts);
    ends.set(this.ends);
    Object.assign(this, { kinds, starts, ends });
  }
}

const MOST_KEPT = 65_536;
const SPACE = 1;
const DIGIT = 2;
const LETTER = 3;
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code <= 32) return SPACE;
  if (code >= 48 && code <= 57) return DIGIT;
  return /[A-Za-z_$]/.test(String.fromCharCode(code)) ? LETTER : 0;
});
const HASH_MASK = 0xffff;
/** Marks of the hashes of key words, so that other words are not copied to look them up. */
const KEYWORD_HASHES = new Uint8Array(HASH_MASK + 1);
for (const word of KEYWORDS.keys()) {
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0;
  KEYWORD_HASHES[hash & HASH_MASK] = 1;
}
const SIGNS: Readonly<Record<string, Kind>> = {
  "'": KIND.quote,
  '"': KIND.quote,
  "`": KIND.quote,
  "(": KIND.open,
  ")": KIND.close,
  ",": KIND.comma,
  ";": KIND.semicolon,
  "=": KIND.comparison,
  "<": KIND.comparison,
  ">": KIND.comparison,
  "+": KIND.arithmetic,
  "-": KIND.arithmetic,
  "/": KIND.arithmetic,
  "%": KIND.arithmetic,
  "^": KIND.arithmetic,
  "*": KIND.star,
  "|": KIND.arithmetic,
  "!": KIND.prefix,
  "~": KIND.prefix,
  ".": KIND.dot,
  ":": KIND.other,
};

/** Reads a text into tokens. A line comment is one token, and its text is read on, since a newline may end it. */
export function tokenizeSql(text: string, folded: string, tokens: SqlTokens): void {
  tokens.clear();
  const { length } = text;
  for (let at = 0; at < length;) {
    const code = codeAt(text, at);
    const type = classOf(code);
    if (type === SPACE) at++;
    else if (type === LETTER) at = readWord(folded, at, tokens);
    else if (
      type === DIGIT ||
      (code === 46 && at + 1 < length && classOf(codeAt(text, at + 1)) === DIGIT && !isAfterName(tokens, at))
    ) {
      at = tokens.push(KIND.number, at, endOfNumber(folded, at));
    } else at = readSign(text, folded, at, tokens);
  }
  tokens.push(KIND.end, length, length);
}

/** Returns true if a token other than a number ends at an offset. */
function isAfterName({ kinds, ends, count }: SqlTokens, at: number): boolean {
  return count > 0 && ends[count - 1] === at && kinds[count - 1] !== KIND.number;
}

function classOf(code: number): number {
  if (code < 128) return CLASSES[code] ?? 0;
  if (Number.isNaN(code)) return 0;
  // No-break space, and the sign for bytes that could not be decoded, which hides one.
  return code === 0xa0 || code === 0xfffd || code === 0x3000 ? SPACE : LETTER;
}

function readWord(folded: string, start: number, tokens: SqlTokens): number {
  const { length } = folded;
  let end = start;
  let hash = 0;
  for (; end < length; end++) {
    const code = codeAt(folded, end);
    if (classOf(code) < DIGIT) break;
    hash = (Math.imul(hash, 31) + code) | 0;
  }
  if (KEYWORD_HASHES[hash & HASH_MASK] === 1) {
    const kind = kindOfWord(folded, start, end);
    if (kind !== undefined) return tokens.push(kind, start, end);
  } else if (isAfterNumber(tokens, start)) return tokens.push(kindAfterNumber(folded, start, end), start, end);
  return tokens.push(KIND.word, start, end);
}

function kindOfWord(folded: string, start: number, end: number): Kind | undefined {
  const word = folded.slice(start, end);
  const kind = KEYWORDS.get(word);
  if (kind === undefined) return undefined;
  if (FUNCTIONS.has(word) && isOpenAfter(folded, end)) return KIND.sqlFunction;
  return kind === KIND.sqlFunction ? KIND.word : kind;
}

function isAfterNumber({ kinds, ends, count }: SqlTokens, at: number): boolean {
  return count > 0 && ends[count - 1] === at && kinds[count - 1] === KIND.number;
}

/** `1fUNION` is the number `1f` and a word. */
function kindAfterNumber(folded: string, start: number, end: number): Kind {
  const isSuffix = /[def]/.test(folded.charAt(start)) && end - start <= LONGEST_KEYWORD + 1;
  return (isSuffix ? KEYWORDS.get(folded.slice(start + 1, end)) : undefined) ?? KIND.word;
}

function isOpenAfter(folded: string, end: number): boolean {
  let at = end;
  while (at < end + 8 && classOf(folded.charCodeAt(at)) === SPACE) at++;
  return folded.charCodeAt(at) === 40;
}

/** Numbers: `1`, `1.5`, `.5`, `1e0`, `0x1f`, `0b01`. */
function endOfNumber(folded: string, start: number): number {
  const hex = /0(?:x(?:[\da-f]{1,512}(?![g-z])|(?![\da-f]))|b[01]{1,64}(?![\da-z]))/y;
  hex.lastIndex = start;
  if (folded.charCodeAt(start) === 48 && hex.test(folded)) return hex.lastIndex;
  let end = start;
  while (classOf(folded.charCodeAt(end)) === DIGIT) end++;
  if (folded.charCodeAt(end) === 46) {
    end++;
    while (classOf(folded.charCodeAt(end)) === DIGIT) end++;
  }
  if (folded.charCodeAt(end) === 101) {
    const sign = folded.charCodeAt(end + 1);
    let at = sign === 43 || sign === 45 ? end + 2 : end + 1;
    const digits = at;
    while (classOf(folded.charCodeAt(at)) === DIGIT) at++;
    if (at > digits || folded.charCodeAt(end - 1) === 46) end = at;
  }
  return end;
}

function readSign(text: string, folded: string, at: number, tokens: SqlTokens): number {
  const sign = text.charAt(at);
  const next = text.charAt(at + 1);
  switch (sign) {
    case "-":
      if (next === "-") return readLineComment(at, 2, tokens);
      break;
    case "#":
      return readLineComment(at, 1, tokens);
    case "/":
      if (next === "*") return readBlockComment(text, at, tokens);
      break;
    case "*":
      // End of a conditional comment, whose text counts.
      if (next === "/") return at + 2;
      break;
    case "@":
      return readVariable(folded, at, tokens);
    case "|":
    case "&":
      if (next === sign) return tokens.push(KIND.logical, at, at + 2);
      break;
    case "\\":
      // MySQL's `\N` is NULL; other characters after a backslash stand for themselves.
      return /[nN1]/.test(next) ? tokens.push(KIND.constant, at, at + 2) : at + 1;
    case "<":
    case ">":
    case "!":
      if (next === "=" || (sign === "<" && next === ">")) return tokens.push(KIND.comparison, at, at + 2);
      break;
  }
  return tokens.push(SIGNS[sign] ?? KIND.other, at, at + 1);
}

function readLineComment(at: number, length: number, tokens: SqlTokens): number {
  tokens.lineComments.push(tokens.count);
  return tokens.push(KIND.comment, at, at + length);
}

function readBlockComment(text: string, at: number, tokens: SqlTokens): number {
  const version = /\/\*!\d{0,6}/y;
  version.lastIndex = at;
  if (version.test(text)) return tokens.push(KIND.comment, at, version.lastIndex);
  const close = text.slice(at + 2, at + 1026).indexOf("*/");
  return tokens.push(KIND.comment, at, close === -1 ? at + 2 : at + close + 4);
}

function readVariable(folded: string, at: number, tokens: SqlTokens): number {
  const { length } = folded;
  let end = at + 1;
  while (folded.charCodeAt(end) === 64) end++;
  while (end < length && classOf(codeAt(folded, end)) >= DIGIT) end++;
  return tokens.push(KIND.variable, at, end);
}
