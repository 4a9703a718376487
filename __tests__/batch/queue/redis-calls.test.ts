import { describe, expect, it } from "@jest/globals";
import { RedisCalls } from "../../../src/batch/queue/redis-calls.js";
import type { StartTimer } from "../../../src/engine/events.js";
import { GuardrailsError } from "../../../src/index.js";

/** Timers that fire at once, and their durations. */
function instantTimers(): { timers: StartTimer; waits: number[] } {
  const waits: number[] = [];
  const timers: StartTimer = (milliseconds, onTimeout) => {
    waits.push(milliseconds);
    queueMicrotask(onTimeout);
    return () => undefined;
  };
  return { timers, waits };
}

const client = { on: () => client } as unknown as ConstructorParameters<typeof RedisCalls>[0];

describe("commands of a batch queue", () => {
  it("are retried while the server refuses them", async () => {
    const { timers, waits } = instantTimers();
    const calls = new RedisCalls(client, undefined, timers);
    let refusals = 3;
    const command = (): Promise<string> =>
      (refusals -= 1) >= 0 ? Promise.reject(new Error("LOADING Redis is loading")) : Promise.resolve("done");
    expect(await calls.run(command, undefined)).toBe("done");
    expect(waits).toEqual([1_000, 1_000, 1_000]);
  });

  it.each([
    ["OOM command not allowed: my secret", "Redis refuses commands of the batch queue: OOM"],
    [
      "unknown command with args beginning with: my secret",
      "Redis refuses commands of the batch queue: an unknown error",
    ],
  ])("fail with RL-406 after a minute of refusals, without the server's message: %s", async (words, message) => {
    const { timers, waits } = instantTimers();
    const calls = new RedisCalls(client, undefined, timers);
    const error: unknown = await calls
      .run(() => Promise.reject(new Error(words)), undefined)
      .catch((cause: unknown) => cause);
    expect(GuardrailsError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: "RL-406", message });
    expect(error).not.toHaveProperty("cause");
    expect(waits.length).toBe(59);
  });
});
