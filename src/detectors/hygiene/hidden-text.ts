/** Least length of a text that counts as hidden in invisible characters. */
const LEAST = 4;
const BLACK_FLAG = 0x1f3f4;
/** Longest region of a flag. */
const LONGEST_REGION = 6;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns the text that a run of invisible characters hides: as tag characters, one for each ASCII character; as variation
 * selectors, one for each byte; or as zero-width characters of two kinds, one for each bit.
 */
export function hiddenText(run: string, previous: number): string | undefined {
  return readTags(run, previous) ?? readSelectors(run) ?? readBits(run);
}

/** Tag characters, unless they spell the region of a flag. */
function readTags(run: string, previous: number): string | undefined {
  let text = "";
  for (const character of run) {
    const code = (character.codePointAt(0) ?? 0) - 0xe0000;
    if (code >= 0x20 && code < 0x7f) text += String.fromCharCode(code);
  }
  return text.length >= (previous === BLACK_FLAG ? LONGEST_REGION + 1 : LEAST) ? text : undefined;
}

function readSelectors(run: string): string | undefined {
  const bytes: number[] = [];
  for (const character of run) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xfe00 && code <= 0xfe0f) bytes.push(code - 0xfe00);
    else if (code >= 0xe0100 && code <= 0xe01ef) bytes.push(code - 0xe0100 + 16);
  }
  return readBytes(bytes);
}

/** Zero-width characters as bits of bytes, the high bit first; either of the two kinds may be the one. */
function readBits(run: string): string | undefined {
  const kinds = [...new Set(run)];
  const [first = "", second] = kinds;
  if (second === undefined || kinds.length > 2 || run.length < 8 * LEAST || run.length % 8 !== 0) return undefined;
  return readBytes(bytesOf(run, first)) ?? readBytes(bytesOf(run, second));
}

function bytesOf(run: string, oneBit: string): number[] {
  const bytes: number[] = [];
  for (let at = 0; at < run.length; at += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) byte = byte * 2 + (run.charAt(at + bit) === oneBit ? 1 : 0);
    bytes.push(byte);
  }
  return bytes;
}

function readBytes(bytes: readonly number[]): string | undefined {
  if (bytes.length < LEAST) return undefined;
  try {
    const text = decoder.decode(Uint8Array.from(bytes));
    return /[\0-\x08\x0e-\x1f\x7f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
