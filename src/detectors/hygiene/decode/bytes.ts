const utf8 = new TextDecoder("utf-8", { fatal: true });
const utf16 = new TextDecoder("utf-16le", { fatal: true });

/** Returns the text of bytes in UTF-8, or in UTF-16 as PowerShell has it; undefined unless all of it is printable. */
export function readText(bytes: Uint8Array): string | undefined {
  const isWide = bytes.length >= 4 && bytes.length % 2 === 0 && bytes[1] === 0 && bytes[3] === 0;
  if (!isWide && !mayBeUtf8(bytes)) return undefined;
  try {
    const text = (isWide ? utf16 : utf8).decode(bytes);
    return isWide && /[\0-\x08\x0e-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns false for bytes that cannot be printable text in UTF-8; to let the decoder fail takes ten times as long. */
function mayBeUtf8(bytes: Uint8Array): boolean {
  let expected = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (expected > 0) {
      if (byte < 0x80 || byte > 0xbf) return false;
      expected--;
      continue;
    }
    const length = lengthOfCharacter(byte);
    if (length === 0) return false;
    expected = length - 1;
  }
  return expected === 0;
}

/** Returns true for bytes that no text has. */
export function isControl(byte: number): boolean {
  return (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 127;
}

/** Returns the length in bytes of a character of UTF-8 by its first byte; 0 for a byte that begins none. */
export function lengthOfCharacter(byte: number): number {
  if (byte < 0x80) return isControl(byte) ? 0 : 1;
  if (byte < 0xc2) return 0;
  if (byte < 0xe0) return 2;
  if (byte < 0xf0) return 3;
  return byte < 0xf5 ? 4 : 0;
}

/** Returns the value of a hexadecimal digit; -1 for other characters. */
export function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** Returns the byte that two hexadecimal digits stand for; -1 if there are none at the offset. */
export function hexByte(text: string, at: number): number {
  const high = hexValue(text.charCodeAt(at));
  const low = hexValue(text.charCodeAt(at + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}
