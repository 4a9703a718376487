import { codeAt } from "../scan/code-at.js";
import {
  characterClasses,
  classOfPair,
  COMPATIBILITY,
  foldCompatibility,
  INVISIBLE,
  isBraille,
  isPictograph,
  isRegional,
  isRightToLeft,
  MARK,
  needsJoiners,
  ORDINARY,
  PAIR,
} from "./characters.js";
import { type EditedText, TextEditor } from "./edits.js";
import { hiddenText } from "./hidden-text.js";
import { Marks } from "./marks.js";

/** Full-width signs in a row that are read. */
const MOST_SIGNS = 4;
/** Distance within which other characters decide about letters of flags, Braille and raised letters, and how many show a text. */
const NEAR = 24;
const MANY = 5;
/** Distance within which a letter written from right to left explains a mark of direction. */
const DIRECTION = 32;

/** Returns the classes of special characters in a text, as bits; 0 for plain text. */
export function specialClasses(text: string): number {
  const classes = characterClasses();
  const { length } = text;
  let found = 0;
  for (let at = 0; at < length; at++) {
    const kind = classes[codeAt(text, at)] ?? ORDINARY;
    if (kind !== ORDINARY) found |= 1 << (kind === PAIR ? classOfPair(text.codePointAt(at) ?? 0) : kind);
  }
  return found & ~(1 << ORDINARY);
}

/** Returns true if classes that `specialClasses` found hold one. */
export function hasClass(found: number, kind: number): boolean {
  return (found & (1 << kind)) !== 0;
}

/**
 * Removes invisible characters and decorating marks, and replaces compatibility forms. Joiners, variation selectors and marks
 * of direction stay where their script or an emoji needs them. Text that is hidden in invisible characters becomes visible.
 */
export function stripCharacters(text: string): EditedText | undefined {
  const classes = characterClasses();
  const editor = new TextEditor(text);
  const marks = new Marks(text, classes);
  /** Code point of the last visible character; 0 at the start. */
  let previous = 0;
  const { length } = text;
  for (let at = 0; at < length;) {
    const unit = codeAt(text, at);
    const code = classes[unit] === PAIR ? (text.codePointAt(at) ?? unit) : unit;
    const kind = code > 0xffff ? classOfPair(code) : (classes[unit] ?? ORDINARY);
    const end = at + (code > 0xffff ? 2 : 1);
    if (kind === INVISIBLE) {
      at = stripInvisible(text, at, previous, editor);
    } else if (kind === MARK) {
      // Marks whose letter is not right before them.
      const after = marks.endOfMarks(at);
      if (marks.isDecorated(at)) editor.replace(at, after, "", "combining");
      at = after;
    } else {
      const letter = marks.read(at, end);
      const folded = kind === COMPATIBILITY && isDisguise(text, at, code) ? foldCompatibility(code) : undefined;
      if (letter.text !== undefined) editor.replace(at, letter.end, folded ?? letter.text, "combining");
      else if (folded !== undefined) editor.replace(at, end, folded, "compatibility");
      previous = code;
      at = letter.end;
    }
  }
  return editor.finish();
}

/** Removes the invisible characters at an offset, or makes the text visible that they hide. Returns the offset after them. */
function stripInvisible(text: string, at: number, previous: number, editor: TextEditor): number {
  const end = endOfInvisible(text, at);
  const next = text.codePointAt(end) ?? 0;
  const hidden = end - at >= 4 ? hiddenText(text.slice(at, end), previous) : undefined;
  if (hidden !== undefined) {
    const before = previous === 0 || isBlank(previous) ? "" : " ";
    const after = next === 0 || isBlank(next) ? "" : " ";
    editor.replace(at, end, `${before}${hidden}${after}`, "invisible");
    return end;
  }
  for (let from = at; from < end;) {
    const code = text.codePointAt(from) ?? 0;
    const to = from + (code > 0xffff ? 2 : 1);
    const following = to < end ? (text.codePointAt(to) ?? 0) : next;
    if (!isNeeded(text, from, code, previous, following)) editor.replace(from, to, "", "invisible");
    from = to;
  }
  return end;
}

/** Returns the offset after the invisible characters that stand at an offset, read up to a limit. */
export function endOfInvisible(text: string, at: number, limit = text.length): number {
  const classes = characterClasses();
  let end = at;
  for (;;) {
    if (end >= limit) return end;
    const unit = text.charCodeAt(end);
    const kind = classes[unit];
    if (kind === INVISIBLE) end++;
    else if (kind === PAIR && classOfPair(text.codePointAt(end) ?? 0) === INVISIBLE) end += 2;
    else return end;
  }
}

/** Returns true if a script or an emoji needs an invisible character at its place. */
export function isNeeded(text: string, at: number, code: number, previous: number, next: number): boolean {
  if (code === 0x200c || code === 0x200d) {
    return needsJoiners(previous) || (isPictograph(previous) && (isPictograph(next) || next === 0xfe0f));
  }
  if (code === 0x200b) return previous >= 0x0e00 && needsJoiners(previous) && needsJoiners(next);
  // Emoji are also made of signs: `©`, `™`, `‼`, `1` in a keycap.
  if (code === 0xfe0e || code === 0xfe0f)
    return previous >= 0x203c || previous === 0xa9 || previous === 0xae || next === 0x20e3;
  if (code >= 0xfe00 && code <= 0xfe0d) return previous > 0x2200;
  if (code >= 0xe0100 && code <= 0xe01ef) return previous >= 0x2e80;
  if (code >= 0xe0020 && code <= 0xe007f) return previous === 0x1f3f4;
  if (code >= 0x180b && code <= 0x180f) return previous >= 0x1800 && previous <= 0x18af;
  if (code === 0x115f || code === 0x1160) return next >= 0x1160 && next <= 0x11ff;
  if (code === 0x202d || code === 0x202e) return false;
  return isDirectionMark(code) && isNearRightToLeft(text, at);
}

function isDirectionMark(code: number): boolean {
  return (
    code === 0x061c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202c) ||
    (code >= 0x2066 && code <= 0x2069)
  );
}

function isNearRightToLeft(text: string, at: number): boolean {
  const end = Math.min(text.length, at + DIRECTION);
  for (let near = Math.max(0, at - DIRECTION); near < end; near++) {
    if (isRightToLeft(text.charCodeAt(near))) return true;
  }
  return false;
}

/** Returns true if a compatibility form stands for an ASCII character here: punctuation of CJK text and single exponents do not. */
function isDisguise(text: string, at: number, code: number): boolean {
  if (isRaised(code)) {
    return (
      isRaised(text.charCodeAt(at - 1)) ||
      isRaised(text.charCodeAt(at + 1)) ||
      countNear(text, at, isRaisedLetter) >= MANY
    );
  }
  if (isRegional(code)) return isSpelling(text, at);
  if (isBraille(code)) return isBrailleText(text, at);
  if (code >= 0x1f170 && code <= 0x1f189) return text.charCodeAt(at + 2) !== 0xfe0f;
  if (code === 0x3000) return !isIdeographic(text.charCodeAt(at - 1)) && !isIdeographic(text.charCodeAt(at + 1));
  return !isFullWidth(code) || isFullWidthLetter(code) || isBesideFullWidthLetter(text, at);
}

/** Number of characters of a kind near an offset. */
function countNear(text: string, at: number, isKind: (code: number) => boolean): number {
  let count = 0;
  const end = Math.min(text.length, at + NEAR);
  for (let near = Math.max(0, at - NEAR); near < end; near++) if (isKind(text.charCodeAt(near))) count++;
  return count;
}

/** Returns true if letters of flags near an offset make no flags: one stands alone, or two are no region. */
function isSpelling(text: string, at: number): boolean {
  const start = Math.max(0, at - NEAR);
  const near = text.slice(start, at + NEAR);
  for (const { 0: run, index } of near.matchAll(/(?:\ud83c[\udde6-\uddff])+/g)) {
    const isCut = (index < 2 && start > 0) || (index + run.length > near.length - 2 && at + NEAR < text.length);
    // A cut may begin or end within a flag.
    if (
      !(isCut ? [0, 2].some((skip) => isFlags(run.slice(skip, run.length - ((run.length - skip) % 4)))) : isFlags(run))
    )
      return true;
  }
  return false;
}

/** Returns true for letters that are pairs of regions. */
function isFlags(letters: string): boolean {
  if (letters.length % 4 !== 0) return false;
  for (let at = 0; at < letters.length; at += 4)
    if (!isRegion(letters.charCodeAt(at + 1), letters.charCodeAt(at + 3))) return false;
  return true;
}

let names: Intl.DisplayNames | undefined;
/** Pairs of letters that are regions, by both letters; looked up once each. */
const regions = new Map<number, boolean>();

function isRegion(first: number, second: number): boolean {
  const key = first * 0x10000 + second;
  const known = regions.get(key);
  if (known !== undefined) return known;
  names ??= new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const isKnown = names.of(String.fromCharCode(first - 0xdde6 + 65, second - 0xdde6 + 65)) !== undefined;
  regions.set(key, isKnown);
  return isKnown;
}

/** Returns true if the patterns of Braille near an offset are letters, as those of pictures and progress bars are not. */
function isBrailleText(text: string, at: number): boolean {
  let count = 0;
  const end = Math.min(text.length, at + NEAR);
  for (let near = Math.max(0, at - NEAR); near < end; near++) {
    const code = text.charCodeAt(near);
    if (!isBraille(code)) continue;
    if (foldCompatibility(code) === undefined) return false;
    count++;
  }
  return count >= MANY;
}

/** Full-width signs that do not stand next to ASCII letters in prose. */
const SIGNS_OF_CODE = /[＜＞＇＂｛｝＝＄｀]/;

/** Returns true if full-width letters or digits, or ASCII ones in the case of signs of code, stand next to the full-width signs at an offset. */
function isBesideFullWidthLetter(text: string, at: number): boolean {
  let first = at;
  while (at - first < MOST_SIGNS && isFullWidth(text.charCodeAt(first)) && !isFullWidthLetter(text.charCodeAt(first)))
    first--;
  let last = at;
  while (last - at < MOST_SIGNS && isFullWidth(text.charCodeAt(last)) && !isFullWidthLetter(text.charCodeAt(last)))
    last++;
  const [before, after] = [text.charCodeAt(first), text.charCodeAt(last)];
  if (isFullWidthLetter(before) || isFullWidthLetter(after)) return true;
  return SIGNS_OF_CODE.test(text.charAt(at)) && (isAsciiWord(before) || isAsciiWord(after));
}

function isAsciiWord(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 0x20) >= 97 && (code | 0x20) <= 122);
}

/** Returns true for Chinese, Japanese and Korean letters and signs. */
function isIdeographic(code: number): boolean {
  return code >= 0x2e80 && code < 0xff00;
}

function isFullWidth(code: number): boolean {
  return code >= 0xff01 && code <= 0xff5e;
}

/** Returns true for superscript and subscript letters. */
function isRaised(code: number): boolean {
  return (
    (code >= 0x02b0 && code <= 0x02e4) ||
    (code >= 0x1d2c && code <= 0x1dbf) ||
    (code >= 0x2071 && code <= 0x209c) ||
    code === 0x2c7c ||
    code === 0x2c7d ||
    (code >= 0xa7f2 && code <= 0xa7f4)
  );
}

function isRaisedLetter(code: number): boolean {
  return isRaised(code) && (code < 0x2074 || code > 0x208e || code === 0x207f);
}

function isFullWidthLetter(code: number): boolean {
  return (code >= 0xff10 && code <= 0xff19) || (code >= 0xff21 && code <= 0xff3a) || (code >= 0xff41 && code <= 0xff5a);
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0x3000;
}
