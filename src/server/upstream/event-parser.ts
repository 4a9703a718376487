import { UpstreamError } from "./errors.js";

/** Maximum size of an event of an upstream stream, in characters. */
const MAX_EVENT = 8_388_608;

/**
 * Splits the bytes of a stream into the data of its server-sent events. Skips comments, event names, other fields, and an event
 * that the end of the stream interrupts.
 */
export class EventParser {
  readonly #decoder = new TextDecoder();
  /** Text of an incomplete line. */
  #rest = "";
  /** Data lines of an incomplete event. */
  #data: string | undefined;

  /**
   * Adds the data of all events that these bytes complete.
   *
   * @throws UpstreamError for an event over the limit
   */
  push(bytes: Uint8Array, events: string[]): void {
    const text = this.#rest + this.#decoder.decode(bytes, STREAMING);
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      const end = at > from && text.charCodeAt(at - 1) === 13 ? at - 1 : at;
      if (end === from) {
        if (this.#data !== undefined) events.push(this.#data);
        this.#data = undefined;
      } else if (text.startsWith("data:", from)) {
        const begin = text.charCodeAt(from + 5) === 32 ? from + 6 : from + 5;
        const line = text.slice(begin, end);
        this.#data = this.#data === undefined ? line : `${this.#data}\n${line}`;
      }
      from = at + 1;
    }
    this.#rest = from === text.length ? "" : text.slice(from);
    if (this.#rest.length + (this.#data?.length ?? 0) > MAX_EVENT) {
      throw new UpstreamError(0, `an event of the upstream stream is longer than ${MAX_EVENT} characters`);
    }
  }
}

const STREAMING = { stream: true };
