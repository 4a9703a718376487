import { afterAll, beforeAll, expect } from "@jest/globals";

/** Fails the tests of a block or a file that leave a rejected promise without a handler; returns the reasons so far. */
export function expectNoUnhandledRejections(): readonly unknown[] {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeAll(() => void process.on("unhandledRejection", note));
  afterAll(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
  return unhandled;
}
