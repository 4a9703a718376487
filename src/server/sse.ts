import { createWatch as createTimerWatch, type Watch } from "../engine/events.js";
import type { ApiErrorObject } from "./errors.js";

const encoder = new TextEncoder();

/** A comment, which clients skip. A named event would break `chat.completions.stream()` of OpenAI's client. */
const HEARTBEAT = encoder.encode(": keep-alive\n\n");
const DONE = encoder.encode("data: [DONE]\n\n");

/** Headers of a stream; the last one prevents proxies from buffering it. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

export interface EventSource {
  /** Yields events as they are written, several at a time if they are sent together. */
  readonly events: AsyncIterator<string>;
  readonly heartbeatMs: number;
  /** Returns an error as callers may see it. */
  readonly describe: (error: unknown) => ApiErrorObject;
  /** Called once when the stream has finished, failed or lost its reader. */
  readonly close: (end: "finished" | "failed" | "left", error?: unknown) => void;
}

/**
 * Returns the body of an event stream. It is generated no faster than it is read. INVARIANT: only a complete stream ends with
 * `[DONE]`; a failing one ends with an error event.
 */
export function eventStream(
  { events, heartbeatMs, describe, close }: EventSource,
  createWatch: typeof createTimerWatch = createTimerWatch,
): ReadableStream<Uint8Array> {
  let isClosed = false;
  let watch: Watch | undefined;
  const finish = (...end: Parameters<EventSource["close"]>): void => {
    if (isClosed) return;
    isClosed = true;
    watch?.end();
    close(...end);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        watch ??= createWatch(heartbeatMs, () => {
          if (isClosed) return;
          controller.enqueue(HEARTBEAT);
          watch?.restart();
        });
        watch.restart();
        try {
          const next = await events.next();
          if (isClosed) return;
          if (next.done !== true) {
            watch.pause();
            return controller.enqueue(encoder.encode(next.value));
          }
          controller.enqueue(DONE);
          finish("finished");
        } catch (error) {
          if (isClosed) return;
          controller.enqueue(encoder.encode(sseEvent(JSON.stringify({ error: describe(error) }))));
          finish("failed", error);
        }
        controller.close();
      },
      cancel() {
        finish("left");
        // Not awaited, because a stalled model would keep the connection open.
        void events.return?.().catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Returns a complete stream as one string. */
export function encodeEvents(events: readonly object[]): string {
  return `${events.map((event) => sseEvent(JSON.stringify(event))).join("")}data: [DONE]\n\n`;
}

/** Returns a server-sent event with the given data. */
export function sseEvent(data: string): string {
  return `data: ${data}\n\n`;
}
