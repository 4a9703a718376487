/**
 * FNV-1a over the UTF-16 units, with a finish that spreads the last characters over all bits. Signed, because engines
 * keep signed 32-bit numbers without allocating.
 */
export function hashText(text: string, seed: number): number {
  let code = seed | 0;
  for (let at = 0; at < text.length; at += 1) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  code = Math.imul(code ^ (code >>> 16), 0x85ebca6b);
  code = Math.imul(code ^ (code >>> 13), 0xc2b2ae35);
  return code ^ (code >>> 16);
}
