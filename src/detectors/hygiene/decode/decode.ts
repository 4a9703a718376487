import { codeAt } from "../../scan/code-at.js";
import type { EditedText } from "../edits.js";
import { TextEditor } from "../edits.js";
import { isBase64, LEAST_BASE64, readBase64 } from "./base64.js";
import { decodeEntity, decodeEscape, decodePercent } from "./escapes.js";
import { endOfHexList, readHex } from "./hex.js";

/** Length from which on a line of Base64 may go on in the next one. */
const FULL_LINE = 40;

/**
 * Replaces pieces of Base64, hexadecimal digits, `%` sequences, entities of HTML and escape sequences by the text that they
 * stand for. Data that is not text stays: pictures, hashes, keys.
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
    else if (isBase64(code)) end = decodeRun(text, at, editor);
    at = Math.max(end, at + 1);
  }
  return editor.finish();
}

/** Decodes a run of characters of Base64. Returns the offset after it. */
function decodeRun(text: string, start: number, editor: TextEditor): number {
  const end = endOfRun(text, start);
  const length = end - start;
  if (length === 2 || length === 4) return decodeList(text, start, end, editor);
  if (length < LEAST_BASE64) return end;
  const run = text.slice(start, end);
  if (/^(?:0x)?[0-9a-f:-]+$/i.test(run)) {
    const decoded = readHex(run);
    if (decoded === undefined) return end;
    editor.replace(start, end, decoded, "hex");
    return end;
  }
  return decodeLines(text, start, end, editor);
}

/** Decodes a list of bytes such as `0x69, 0x67` that begins with the run from `start` to `end`. */
function decodeList(text: string, start: number, end: number, editor: TextEditor): number {
  const listEnd = endOfHexList(text, start);
  if (listEnd <= start) return end;
  const decoded = readHex(text.slice(start, listEnd));
  if (decoded !== undefined) editor.replace(start, listEnd, decoded, "hex");
  return listEnd;
}

/** Decodes Base64 of several lines, or else each line. */
function decodeLines(text: string, start: number, end: number, editor: TextEditor): number {
  const lines = linesOf(text, start, end);
  const last = lines.at(-1)?.[1] ?? end;
  const decoded = lines.length > 1 ? readBase64(text, start, last) : undefined;
  if (decoded === undefined) {
    for (const [from, to] of lines) decodeLine(text, from, to, editor);
    return last;
  }
  const after = endOfPadding(text, last);
  editor.replace(start, after, decoded, "base64");
  return after;
}

/** Lines of the same length, but for a shorter last one, of which the first is known. */
function linesOf(text: string, start: number, end: number): (readonly [start: number, end: number])[] {
  const lines: [number, number][] = [[start, end]];
  const width = end - start;
  let from = width < FULL_LINE ? 0 : nextLine(text, end);
  while (from > 0) {
    const to = endOfRun(text, from);
    if (to === from || to - from > width) break;
    lines.push([from, to]);
    from = to - from === width ? nextLine(text, to) : 0;
  }
  return lines;
}

/** Decodes a line of Base64; where that gives no text, the parts between its separators, for example the last part of a path. */
function decodeLine(text: string, start: number, end: number, editor: TextEditor): void {
  if (replaceBase64(text, start, end, editor)) return;
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && !isSeparator(codeAt(text, at))) continue;
    if (at - from < end - start && at - from >= LEAST_BASE64) replaceBase64(text, from, at, editor);
    from = at + 1;
  }
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

/** Offset of the next line; 0 if the line does not end here. */
function nextLine(text: string, at: number): number {
  if (text.charCodeAt(at) === 0x0a) return at + 1;
  return text.charCodeAt(at) === 0x0d && text.charCodeAt(at + 1) === 0x0a ? at + 2 : 0;
}

function endOfPadding(text: string, at: number): number {
  let end = at;
  while (end < at + 2 && text.charCodeAt(end) === 0x3d) end++;
  return end;
}

/** `+`, `-`, `/` and `_`. */
function isSeparator(code: number): boolean {
  return code === 0x2b || code === 0x2d || code === 0x2f || code === 0x5f;
}
