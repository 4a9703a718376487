/** A line of a file without its end; undefined in the place of one that is too long. */
export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string | undefined;
}

/**
 * Splits a stream of bytes into lines. A line beyond `maxLength` characters is dropped, so memory is bounded for any
 * file.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, maxLength: number): AsyncGenerator<FileLine> {
  const decoder = new TextDecoder();
  let number = 0;
  let open = "";
  let isTooLong = false;
  const grow = (text: string): void => {
    isTooLong ||= open.length + text.length > maxLength;
    open = isTooLong ? "" : open + text;
  };
  const close = (): FileLine => {
    number += 1;
    const text = isTooLong ? undefined : open.endsWith("\r") ? open.slice(0, -1) : open;
    open = "";
    isTooLong = false;
    return { number, text };
  };
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      grow(text.slice(start, end));
      start = end + 1;
      yield close();
    }
    grow(text.slice(start));
  }
  grow(decoder.decode());
  if (open !== "" || isTooLong) yield close();
}
