import { codeAt } from "../../scan/code-at.js";
import type { EditedText } from "../edits.js";
import { TextEditor } from "../edits.js";
import { isBase64, LEAST_BASE64, readBase32, readBase64 } from "./base64.js";
import { hexValue } from "./bytes.js";
import { decodeEntity, decodeEscape, decodePercent, decodeQuotedPrintable } from "./escapes.js";
import { readHex } from "./hex.js";
import { isMorseSign, readMorse } from "./morse.js";
import { readNumberList } from "./number-list.js";

/** Least length of a line or group of Base64 that goes on in the next one, and of all of them. */
const LEAST_GROUP = 4;
const LEAST_GROUPED = 16;
const MOST_BASE32_PADDING = 6;

/**
 * Replaces pieces of Base64, Base32, hexadecimal digits, `%` sequences, entities of HTML, escape sequences, lists of numbers and Morse code
 * by the text that they stand for. Data that is not text stays: pictures, hashes, keys.
 */
export function decodePieces(text: string): EditedText | undefined {
  const editor = new TextEditor(text);
  const { length } = text;
  for (let at = 0; at < length;) {
    const code = codeAt(text, at);
    let end = at;
    if (code === 0x25) end = decodePercent(text, at, editor);
    else if (code === 0x26) end = decodeEntity(text, at, editor);
    else if (code === 0x5c) end = decodeEscape(text, at, editor);
    else if (code === 0x3d) end = decodeQuotedPrintable(text, at, editor);
    else if (isMorseSign(code)) end = decodeMorse(text, at, editor);
    if (end === at && isBase64(code)) end = decodeRun(text, at, editor);
    at = Math.max(end, at + 1);
  }
  return editor.finish();
}

function decodeMorse(text: string, start: number, editor: TextEditor): number {
  const { end, text: decoded, letters } = readMorse(text, start);
  if (decoded !== undefined) editor.replace(start, end, decoded, "spelling");
  // INVARIANT: what is read is skipped, so that the work is linear; a single sign may begin Base64.
  return letters > 1 ? end : start;
}

/** Decodes a run of characters of Base64, or the list of numbers that begins with it. Returns the offset after it. */
function decodeRun(text: string, start: number, editor: TextEditor): number {
  const list = mayBeginList(text, start) ? readNumberList(text, start) : undefined;
  if (list !== undefined) {
    if (list.text !== undefined) editor.replace(start, list.end, list.text, list.layer);
    return list.end;
  }
  const end = endOfRun(text, start);
  const length = end - start;
  const groups = length < LEAST_GROUP ? end : endOfGroups(text, start, end);
  if (groups > end) {
    const decoded = readBase64(text, start, groups);
    const after = endOfPadding(text, text.startsWith(" =", groups) ? groups + 1 : groups);
    // INVARIANT: groups that begin like text are read once, so that the work is linear.
    if (decoded !== undefined) editor.replace(start, after, decoded, "base64");
    return after;
  }
  if (length < LEAST_BASE64) return end;
  const run = text.slice(start, end);
  if (/^(?:0x)?[0-9a-f:-]+$/i.test(run)) {
    const decoded = readHex(run);
    if (decoded === undefined) return end;
    editor.replace(start, end, decoded, "hex");
    return end;
  }
  const decoded = readBase32(run);
  if (decoded === undefined) return decodeLine(text, start, end, editor);
  editor.replace(start, endOfPadding(text, end, MOST_BASE32_PADDING), decoded, "base32");
  return endOfPadding(text, end, MOST_BASE32_PADDING);
}

/** Returns true for a digit, and for a letter that begins hexadecimal digits or `U+`. */
function mayBeginList(text: string, start: number): boolean {
  const code = codeAt(text, start);
  return hexValue(code) >= 0 || ((code | 0x20) === 0x75 && text.charCodeAt(start + 1) === 0x2b);
}

/**
 * Offset after the groups of Base64 of one length, each on a line or after a blank, of which the first is known and the last may
 * be shorter; `end` if the first ones are no text, as words of one length are not.
 */
function endOfGroups(text: string, start: number, end: number): number {
  const width = end - start;
  let last = end;
  let isText = false;
  for (let from = nextGroup(text, end); from > 0;) {
    const to = endOfRun(text, from);
    if (to === from || to - from > width) break;
    // A word after complete groups is one of the text.
    if (to - from < width && isComplete(text, start, last) && isPlainWord(text, from, to)) break;
    last = to;
    if (!isText && last - start >= LEAST_GROUPED) {
      // The start may end within a letter of several bytes.
      const head = start + Math.max(LEAST_GROUPED, width + 4);
      if ([0, 2, 3].every((more) => readBase64(text, start, head + more) === undefined)) return end;
      isText = true;
    }
    from = to - from === width ? nextGroup(text, to) : 0;
  }
  return isText ? last : end;
}

/** Returns true for letters without padding that are a word with or without a capital. */
function isPlainWord(text: string, start: number, end: number): boolean {
  return text.charCodeAt(end) !== 0x3d && /^[A-Za-z][a-z]*$/.test(text.slice(start, end));
}

/** Returns true if the groups of a range are whole bytes, as their last one has no padding. */
function isComplete(text: string, start: number, end: number): boolean {
  return text.slice(start, end).replaceAll(/\s/g, "").length % 4 === 0;
}

/** Decodes a run of Base64; where that gives no text, the parts between its separators, for example the last part of a path. */
function decodeLine(text: string, start: number, end: number, editor: TextEditor): number {
  if (replaceBase64(text, start, end, editor)) return endOfPadding(text, end);
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && !isSeparator(codeAt(text, at))) continue;
    if (at - from < end - start && at - from >= LEAST_BASE64) replaceBase64(text, from, at, editor);
    from = at + 1;
  }
  return end;
}

function replaceBase64(text: string, start: number, end: number, editor: TextEditor): boolean {
  const decoded = readBase64(text, start, end);
  if (decoded === undefined) return false;
  editor.replace(start, endOfPadding(text, end), decoded, "base64");
  return true;
}

function endOfRun(text: string, start: number): number {
  let end = start;
  while (isBase64(text.charCodeAt(end))) end++;
  return end;
}

/** Offset of the next group, after a blank or on the next line; 0 if there is none. */
function nextGroup(text: string, at: number): number {
  if (text.charCodeAt(at) === 0x0a || text.charCodeAt(at) === 0x20) return at + 1;
  return text.charCodeAt(at) === 0x0d && text.charCodeAt(at + 1) === 0x0a ? at + 2 : 0;
}

function endOfPadding(text: string, at: number, most = 2): number {
  let end = at;
  while (end < at + most && text.charCodeAt(end) === 0x3d) end++;
  return end;
}

/** `+`, `-`, `/` and `_`. */
function isSeparator(code: number): boolean {
  return code === 0x2b || code === 0x2d || code === 0x2f || code === 0x5f;
}
