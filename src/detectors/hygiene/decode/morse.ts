import { plausibility } from "../plausible.js";

/** Letters that a text in Morse code has at least, different ones among them, and their likelihood. */
const LEAST_LETTERS = 8;
const LEAST_DIFFERENT = 4;
const LIKELY = 3;
const CODES =
  "a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- w.-- x-..- " +
  "y-.-- z--.. 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----. 0----- ..-.-.- ,--..-- ?..--.. !-.-.-- '.----. " +
  '/-..-. (-.--. )-.--.- :---... ;-.-.-. =-...- +.-.-. --....- _..--.- ".-..-. @.--.-.';
let alphabet: ReadonlyMap<string, string> | undefined;

/** Returns true for a dot or a dash of Morse code, as ASCII or another sign writes it. */
export function isMorseSign(code: number): boolean {
  return isDot(code) || isDash(code);
}

/** Morse code up to an offset; its text is undefined if it makes none. */
interface MorseCode {
  readonly end: number;
  readonly letters: number;
  readonly text: string | undefined;
}

/** Reads the Morse code at an offset: letters after blanks, words after a slash, a bar, a new line or several blanks. */
export function readMorse(text: string, start: number): MorseCode {
  alphabet ??= new Map(CODES.split(" ").map((entry) => [entry.slice(1), entry.charAt(0)]));
  let decoded = "";
  let end = start;
  let count = 0;
  for (let at = start; ;) {
    const [code, after] = readSigns(text, at);
    const letter = alphabet.get(code);
    if (letter === undefined) break;
    const gap = text.slice(end, at);
    decoded += (count > 0 && gap !== " " ? " " : "") + letter;
    count++;
    end = after;
    at = endOfGap(text, after);
    if (at === after) break;
  }
  const isText = count >= LEAST_LETTERS && new Set(decoded).size > LEAST_DIFFERENT && plausibility(decoded) >= LIKELY;
  return { end, letters: count, text: isText ? decoded : undefined };
}

/** Dots and dashes at an offset, as ASCII, and the offset after them; more than a letter has are none. */
function readSigns(text: string, start: number): readonly [code: string, end: number] {
  let code = "";
  let at = start;
  for (; code.length < 8; at++) {
    const unit = text.charCodeAt(at);
    if (isDot(unit)) code += ".";
    else if (isDash(unit)) code += "-";
    else break;
  }
  return [code, at];
}

function endOfGap(text: string, start: number): number {
  let at = start;
  while (at < start + 7 && /[\s/|]/.test(text.charAt(at))) at++;
  return at;
}

/** `.`, `·`, `•`, `∙`, `⋅`. */
function isDot(code: number): boolean {
  return code === 0x2e || code === 0xb7 || code === 0x2022 || code === 0x2219 || code === 0x22c5;
}

/** `-`, `‐` to `―`, `−`; `_` is not included, since names contain it. */
function isDash(code: number): boolean {
  return code === 0x2d || (code >= 0x2010 && code <= 0x2015) || code === 0x2212;
}
