/** Letters of other scripts, and signs, that look like letters of ASCII. */
const LOOKS_OF_LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    a: "аαɑａạáàâäãåāăą",
    b: "ьƅЬᖯḅḃ",
    c: "сϲᴄçćč",
    d: "ԁɗđď",
    e: "еєҽéèêëēęěẹ",
    f: "ƒғ",
    g: "ɡġğģց",
    h: "һհḥ",
    i: "іıɩίïíìîīįị",
    j: "јʝ",
    k: "кκķ",
    l: "ӏӀḷļĺľł|ⅼ",
    m: "мṃⅿ",
    n: "ոпńñňņṇ",
    o: "оοօӧöóòôõøōőọσ๐०",
    p: "рρþṗ",
    q: "ԛզ",
    r: "гŕřṛ",
    s: "ѕśšşșṣꜱ",
    t: "тτťţțṭ",
    u: "υսцüúùûūůűųụ",
    v: "ѵνⅴ",
    w: "ԝωѡẃŵ",
    x: "хχⅹ",
    y: "уүγýÿŷỵ",
    z: "ᴢźžżẓ",
  }).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** Returns a label as it looks: letters of ASCII for those that look like them, `l` for `1`, `o` for `0`, `m` for `rn`. */
export function skeletonOf(label: string): string {
  let skeleton = "";
  for (const character of label.toLowerCase().normalize("NFC")) skeleton += LOOKS_OF_LETTERS[character] ?? character;
  return skeleton
    .replaceAll("0", "o")
    .replaceAll("1", "l")
    .replaceAll("3", "e")
    .replaceAll("5", "s")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("cl", "d")
    .replaceAll("i", "l");
}

const SCRIPTS: readonly RegExp[] = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Cherokee}/u,
];

/** Returns true for a label with letters of two alphabets. Chinese, Japanese and Korean names have Latin letters in them. */
export function mixesScripts(label: string): boolean {
  return SCRIPTS.filter((script) => script.test(label)).length > 1;
}

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;

/** Returns the label that `xn--…` encodes (RFC 3492), or undefined if it is malformed. */
export function decodePunycode(label: string): string | undefined {
  const encoded = label.slice("xn--".length);
  const cut = encoded.lastIndexOf("-");
  const output = Array.from(encoded.slice(0, Math.max(0, cut)), (character) => character.charCodeAt(0));
  let code = 128;
  let bias = 72;
  let position = 0;
  for (let at = cut + 1; at < encoded.length;) {
    const before = position;
    for (let weight = 1, step = BASE; ; step += BASE) {
      const digit = digitOf(encoded.charCodeAt(at++));
      if (digit === undefined || weight > 0x1000000) return undefined;
      position += digit * weight;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, step - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapt(position - before, length, before === 0);
    code += Math.floor(position / length);
    position %= length;
    if (code > 0x10ffff || length > 64) return undefined;
    output.splice(position++, 0, code);
  }
  return String.fromCodePoint(...output);
}

function digitOf(code: number): number | undefined {
  if (code >= 97 && code <= 122) return code - 97;
  return code >= 48 && code <= 57 ? code - 22 : undefined;
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / 700) : delta >> 1;
  rest += Math.floor(rest / length);
  let bias = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; bias += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return bias + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38));
}
