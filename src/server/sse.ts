import { type StartTimer, startTimer } from "../engine/events.js";
import type { ApiErrorObject } from "./errors.js";

const encoder = new TextEncoder();

/** A comment, which clients skip. An event with a name would break `chat.completions.stream()` of OpenAI's client. */
const HEARTBEAT = encoder.encode(": keep-alive\n\n");
const DONE = encoder.encode("data: [DONE]\n\n");

/** Headers of a stream; the last one keeps proxies from collecting it. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

export interface EventSource {
  /** Yields the data of each event. */
  readonly events: AsyncIterator<object>;
  readonly heartbeatMs: number;
  /** Reads an error as callers may see it. */
  readonly describe: (error: unknown) => ApiErrorObject;
  /** Called once, when the stream has ended, failed or lost its reader. */
  readonly close: (end: "finished" | "failed" | "left", error?: unknown) => void;
}

/**
 * The body of a stream of events. It is made no faster than it is read. INVARIANT: only a stream that is complete ends with
 * `[DONE]`; one that fails ends with an error event.
 */
export function eventStream(
  { events, heartbeatMs, describe, close }: EventSource,
  timers: StartTimer = startTimer,
): ReadableStream<Uint8Array> {
  let isClosed = false;
  const finish = (...end: Parameters<EventSource["close"]>): void => {
    if (isClosed) return;
    isClosed = true;
    close(...end);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let stopTimer = (): void => undefined;
        const beat = (): void => {
          stopTimer = timers(heartbeatMs, () => {
            if (isClosed) return;
            controller.enqueue(HEARTBEAT);
            beat();
          });
        };
        beat();
        try {
          const next = await events.next();
          if (isClosed) return;
          if (next.done !== true) return controller.enqueue(encodeEvent(next.value));
          controller.enqueue(DONE);
          finish("finished");
        } catch (error) {
          if (isClosed) return;
          controller.enqueue(encodeEvent({ error: describe(error) }));
          finish("failed", error);
        } finally {
          stopTimer();
        }
        controller.close();
      },
      cancel() {
        finish("left");
        // Not awaited: a stalled model would hold the connection.
        void events.return?.().catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A stream that is complete, in one piece. */
export function encodeEvents(events: readonly object[]): string {
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
}

function encodeEvent(event: object): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
}
