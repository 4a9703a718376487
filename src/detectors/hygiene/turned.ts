import { type EditedText, TextEditor } from "./edits.js";
import { reverse } from "./ciphers.js";

/** Letters upside down that are no ASCII letters, and these; `b`, `d`, `n`, `p`, `q` and `u` turn into one another. */
const TURNED = "ɐɔǝɟƃɓɥᴉıɾʞןɯɹʇʌʍʎ∀ƎℲ⅁ſ⅂Ԁ∩Λ⅄¡¿˙";
const UPRIGHT = "acefgghiijklmrtvwyAEFGJLPUVY!?.";
const OTHERS = "bqdpnu";
const OTHERS_UPRIGHT = "qbpdun";
/** Letters that are certainly turned; a line has some, in several words. */
const CERTAIN = /[\u0250\u0254\u01dd\u025f\u0183\u0265\u1d09\u027e\u029e\u026f\u0279\u0287\u028c\u028d\u028e]/;
const LEAST = 4;
const LETTERS = new Map(
  [...TURNED, ...OTHERS].map((letter, at) => [letter, [...UPRIGHT, ...OTHERS_UPRIGHT][at] ?? letter]),
);
const HINT = /[\u0250\u01dd\u0279\u0287\u028e]/;

/** Turns upside-down lines around. They are read from the end, or from the start if their letters were turned in place. */
export function turnLines(text: string): EditedText | undefined {
  if (!HINT.test(text)) return undefined;
  const editor = new TextEditor(text);
  let start = 0;
  for (const line of text.split("\n")) {
    if (isTurned(line))
      editor.replace(
        start,
        start + line.length,
        reverse([...line].map((letter) => LETTERS.get(letter) ?? letter).join("")),
        "reversed",
      );
    start += line.length + 1;
  }
  return editor.finish();
}

/** Returns true if most words of a line, and some letters, are turned: transcriptions have marks of their own. */
function isTurned(line: string): boolean {
  if (/[ˈˌː/[\]]/.test(line)) return false;
  const words = line.split(/\s+/).filter((word) => /\p{L}/u.test(word));
  const turned = words.filter((word) => CERTAIN.test(word)).length;
  return turned >= words.length / 2 && [...line].filter((letter) => CERTAIN.test(letter)).length >= LEAST;
}
