import type { Redis } from "ioredis";
import { GuardrailsError } from "../../diagnostics/errors.js";
import { type Logger, writeInfo } from "../../diagnostics/logger.js";
import { onAbortOf, untilAborted } from "../../engine/async.js";
import { type StartTimer, startTimer } from "../../engine/events.js";

/** Milliseconds between two tries of a command that the server refuses, and the number of tries. */
const RETRY_MS = 1_000;
const TRIES = 60;

/**
 * Commands to a server that may go away. While it is gone they wait; a server that is back but refuses them, for example while
 * it loads its data, gets them again for a minute.
 */
export class RedisCalls {
  readonly #logger: Logger | undefined;
  readonly #startTimer: StartTimer;
  #isAway = false;
  #isClosed = false;

  constructor(client: Pick<Redis, "on">, logger: Logger | undefined, timers: StartTimer = startTimer) {
    this.#logger = logger;
    this.#startTimer = timers;
    client.on("error", () => this.#report(true));
    client.on("close", () => this.#report(true));
    client.on("ready", () => this.#report(false));
  }

  /** @throws GuardrailsError `RL-406` after a minute of refusals; the reason of the signal */
  async run<Value>(command: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await untilAborted(command(), signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (this.#isClosed || tries >= TRIES) throw refused(error);
        await this.pause(RETRY_MS, signal);
      }
    }
  }

  /** Waits for some milliseconds, at most until the signal aborts. */
  pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let stopListening = (): void => undefined;
      const stopTimer = this.#startTimer(milliseconds, () => {
        stopListening();
        resolve();
      });
      if (signal === undefined) return;
      stopListening = onAbortOf(signal, () => {
        stopTimer();
        reject(signal.reason as Error);
      });
    });
  }

  /** Reports no connection any more, as the client is about to end. */
  close(): void {
    this.#isClosed = true;
  }

  #report(isAway: boolean): void {
    if (this.#isClosed || isAway === this.#isAway) return;
    this.#isAway = isAway;
    if (isAway) this.#logger?.warn("Redis is out of reach; the batch goes on once it is back");
    else writeInfo(this.#logger, "Redis is back");
  }
}

/** INVARIANT: only the first word of a server's message is kept, since errors may repeat commands with their texts. */
function refused(error: unknown): GuardrailsError {
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { readonly message?: unknown };
  const [word] = /^[A-Z]{2,20}\b/.exec(String(message)) ?? ["an unknown error"];
  return new GuardrailsError(`Redis refuses commands of the batch queue: ${word}`, { code: "RL-406" });
}
