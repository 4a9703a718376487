import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { interruptionOf } from "../../src/cli/interruption.js";

describe("the end of the parent process", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([
    ["langchain-guardrails serve config", true],
    ["build && langchain-guardrails serve config || true", true],
    ["langchain-guardrails serve config & vitest", false],
    ["langchain-guardrails serve config &", false],
    [undefined, false],
  ])("of the npm script `%s` is a signal: %s", (script, expected) => {
    const program = Object.assign(new EventEmitter(), { ppid: 100 });
    const env = script === undefined ? {} : { npm_lifecycle_script: script };
    const signal = interruptionOf(program as unknown as NodeJS.Process, env);
    jest.advanceTimersByTime(10_000);
    expect(signal.aborted).toBe(false);
    program.ppid = 1;
    jest.advanceTimersByTime(10_000);
    expect(signal.aborted).toBe(expected);
  });
});
