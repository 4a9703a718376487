import { characterClasses, classOfPair, ORDINARY, PAIR } from "./characters.js";
import { CIPHER, ENCODED, featuresOf, JOINED, LEETSPEAK, LINED, MARKED, SPACED, SPLIT } from "./features.js";
import { isBase64 } from "./decode/base64.js";
import { openTurned } from "./turned.js";

/** Distance within which the text to come decides about characters: more than the neighbourhood of words and marks. */
const NEIGHBOURHOOD = 96;
/** Least length of a line of Base64 that may go on in the next one. */
const FULL_LINE = 40;
/** Longest word that may be part of a spaced-out text or of a list of bytes. */
const LONGEST_PART = 4;
const LONGEST_SPACED = 200;
/** Characters before and after an offset that show that no disguise stands over it. */
const CLEAN = 48;

/**
 * Returns the offset from which on the text to come may change how a text reads without its disguises: the start of the last
 * word, of an encoded piece or a spaced-out text that may go on, or of characters about which the words after them decide.
 */
export function openDisguise(text: string): number {
  let open = startOfWord(text, text.length);
  if (isPart(text.slice(Math.max(open, text.length - LONGEST_SPACED)))) open = startOfParts(text, open);
  open = startOfLines(text, open);
  return Math.min(open, firstSpecial(text), openTurned(text));
}

/** Returns true if a text may be cut at an offset: neither side changes how the other reads. */
export function isCleanCut(text: string, at: number): boolean {
  if (!isBlank(text.charCodeAt(at - 1))) return false;
  const near = text.slice(Math.max(0, at - CLEAN), at + CLEAN);
  return (featuresOf(near) & (ENCODED | SPACED | LEETSPEAK | CIPHER | SPLIT | JOINED | LINED | MARKED)) === 0;
}

/** Start of the ASCII characters without blanks that end at an offset. */
function startOfWord(text: string, end: number): number {
  let start = end;
  while (start > 0 && isVisible(text.charCodeAt(start - 1))) start--;
  // A pair of surrogates that is not complete.
  const last = text.charCodeAt(start - 1);
  return start === end && last >= 0xd800 && last < 0xdc00 ? start - 1 : start;
}

/** Start of the words before an offset that may be parts of one spaced-out text or list of bytes with what follows. */
function startOfParts(text: string, offset: number): number {
  let start = offset;
  for (;;) {
    let end = start;
    while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
    const before = Math.max(startOfWord(text, end), end - LONGEST_SPACED);
    if (before === end || !isPart(text.slice(before, end))) return start;
    start = before;
  }
}

function isPart(word: string): boolean {
  if (word.length <= LONGEST_PART) return word.length <= 2 || /^0x|^\W|\W$|^\d+$/i.test(word);
  if (/^(?:0[xb]|u\+)?[0-9a-f]{6,8}[,;:]?$|^[\d,;:/|-]+$|^[.\u00b7\u2022\u2010-\u2015\u2212-]+$/i.test(word))
    return true;
  return /^(?:\S[^\sA-Za-z0-9]{1,3}){2,}\S?[^\sA-Za-z0-9]{0,3}$/.test(word);
}

/** Start of the lines of Base64 before an offset at which the next one may begin. */
function startOfLines(text: string, offset: number): number {
  let start = offset;
  for (;;) {
    let end = start;
    if (text.charCodeAt(end - 1) === 0x0a) end--;
    if (end === start) return start;
    if (text.charCodeAt(end - 1) === 0x0d) end--;
    let before = end;
    while (before > 0 && isBase64(text.charCodeAt(before - 1))) before--;
    if (end - before < FULL_LINE) return start;
    start = before;
  }
}

/** Start of the first word near the end of a text that has special characters. */
function firstSpecial(text: string): number {
  const classes = characterClasses();
  for (let at = Math.max(0, text.length - NEIGHBOURHOOD); at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    const kind = classes[code] === PAIR ? classOfPair(text.codePointAt(at) ?? 0) : classes[code];
    if (kind === ORDINARY) continue;
    let start = at;
    while (start > 0 && !isBlank(text.charCodeAt(start - 1)) && at - start < NEIGHBOURHOOD) start--;
    return start;
  }
  return text.length;
}

function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
