/** Decodes whole texts: a decoder that takes parts keeps state, so each text in parts needs one of its own. */
const whole = new TextDecoder();

/** Reads a response's text; returns undefined, and cancels the rest, once it is longer than `maximum` bytes. */
export async function readBoundedText(response: Response, maximum: number): Promise<string | undefined> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maximum) {
      await reader.cancel();
      return undefined;
    }
    parts.push(value);
  }
  const [first] = parts;
  if (first === undefined || parts.length === 1) return whole.decode(first);
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}
