import { UpstreamError } from "./errors.js";

/** Largest event of an upstream stream, in characters. */
const MAX_EVENT = 8_388_608;

/**
 * Yields the data of each server-sent event. Comments, names of events and other fields are skipped.
 *
 * @throws UpstreamError for an event over the limit
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string | undefined;
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n", from)) {
      const end = at > from && rest.charCodeAt(at - 1) === 13 ? at - 1 : at;
      if (end === from) {
        if (data !== undefined) yield data;
        data = undefined;
      } else if (rest.startsWith("data:", from)) {
        const begin = rest.charCodeAt(from + 5) === 32 ? from + 6 : from + 5;
        const line = rest.slice(begin, end);
        data = data === undefined ? line : `${data}\n${line}`;
      }
      from = at + 1;
    }
    rest = rest.slice(from);
    if (rest.length + (data?.length ?? 0) > MAX_EVENT) {
      throw new UpstreamError(0, `an event of the upstream stream is longer than ${MAX_EVENT} characters`);
    }
  }
  // An event that the end of the stream interrupts is not complete.
}
