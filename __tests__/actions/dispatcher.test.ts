import { Document } from "@langchain/core/documents";
import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod/v4";
import type { ActionContext, RunWithConfig } from "../../src/actions/action.js";
import { actionResult, isActionResult, dispatch, type DispatchRequest } from "../../src/actions/dispatcher.js";
import { createEventAction } from "../../src/actions/builtin/create-event.js";
import { defineAction } from "../../src/actions/define-action.js";
import { ActionRegistryBuilder } from "../../src/actions/registry.js";
import { LimitError, ModelError, OutputParseError } from "../../src/diagnostics/errors.js";
import { UNKEEPABLE } from "../../scripts/fuzz/hostile-values.js";
import { actionContext, manualTimer, underSignal } from "./context.js";

async function run(value: unknown, fields: Partial<DispatchRequest> = {}) {
  return dispatch({
    registry: new ActionRegistryBuilder().register(value, "act").build(),
    name: "act",
    params: {},
    context: underSignal(actionContext()),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    startTimer: manualTimer().start,
    ...fields,
  });
}

describe("results", () => {
  it.each<[string, unknown, unknown]>([
    ["nothing", undefined, null],
    ["a text", "hi", "hi"],
    ["false", false, false],
    ["a map that looks like a result", { returnValue: 1, events: [] }, { returnValue: 1, events: [] }],
    ["a date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    [
      "a document",
      new Document({ pageContent: "text", metadata: { page: 1 } }),
      { pageContent: "text", metadata: { page: 1 } },
    ],
    ["messages", [new AIMessage("hello")], [{ type: "ai", content: "hello" }]],
    ["the same object twice", ((each) => [each, each])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
    ["properties that are undefined", { a: undefined, b: 1 }, { b: 1 }],
  ])("a plain value: %s", async (_, value, expected) => {
    const outcome = await run(() => value);
    expect(outcome).toMatchObject({ ok: true, result: { returnValue: expected, events: [], contextUpdates: {} } });
  });

  it.each<[string, () => unknown, string]>([
    ["a function", () => ({ deep: [() => 1] }), "at `deep[0]`: a function is not JSON"],
    [
      "a cycle",
      () => ((a: Record<string, unknown>) => ((a["self"] = a), a))({}),
      "at `self`: the value contains itself",
    ],
    ["a number that is not finite", () => [Number.NaN], "at `[0]`: the number NaN is not JSON"],
    ["a big integer", () => 1n, "`act` cannot be kept: a bigint is not JSON"],
    ["a map", () => new Map(), "an instance of `Map` is not JSON"],
    ["an error", () => new Error("x"), "an instance of `Error` is not JSON"],
    ["bytes", () => new Uint8Array(2), "an instance of `Uint8Array` is not JSON"],
    ["a polluting key", () => JSON.parse('{"__proto__": {"admin": true}}'), "the key `__proto__` is not allowed"],
    ["too deep", () => Array.from({ length: 70 }).reduce((inner) => [inner], 1), "nested deeper than 64"],
    ["variables with a function", () => actionResult({ contextUpdates: { f: () => 1 } }), "at `contextUpdates.f`"],
    [
      "an event without a type",
      () => actionResult({ events: [{ kind: "X" } as never] }),
      "at `events[0]`: expected an event to be a map",
    ],
    ["an event with an empty type", () => actionResult({ events: [{ type: "X" }, { type: "" }] }), "at `events[1]`"],
    ["events that are no list", () => actionResult({ events: { type: "X" } as never }), "at `events`: "],
    ["events that are no data", () => actionResult({ events: [{ type: "X", f: () => 1 }] }), "at `events[0].f`"],
    ["variables that are no map", () => actionResult({ contextUpdates: ["x"] as never }), "at `contextUpdates`: "],
    ["a branded value that is not data", () => actionResult({ returnValue: [() => 1] }), "at `returnValue[0]`"],
  ])("refuses %s (CO-407)", async (_, act, message) => {
    const outcome = await run(act);
    expect(outcome).toMatchObject({ ok: false, kind: "failed", error: { code: "CO-407", action: "act" } });
    expect(!outcome.ok && outcome.error.message).toContain(message);
  });

  it.each(Object.entries(UNKEEPABLE).filter(([name]) => name !== "a Promise"))(
    "refuses a value without a JSON form: %s (CO-407)",
    async (_, make) => {
      const outcome = await run(() => make());
      expect(outcome).toMatchObject({ ok: false, kind: "failed", error: { code: "CO-407", action: "act" } });
    },
  );

  it("keeps context updates and events of a branded result", async () => {
    const events = [{ type: "StartUtteranceBotAction", script: "Knock knock." }];
    const outcome = await run(() => actionResult({ returnValue: 1, events, contextUpdates: { bay: 7 } }));
    expect(outcome).toMatchObject({ ok: true, result: { returnValue: 1, events, contextUpdates: { bay: 7 } } });
  });

  it("recognises results by their brand alone", () => {
    const result = actionResult({ returnValue: 1 });
    const others = [{ ...result }, Object.create(result), Object.create(null), null];
    expect([result, ...others].map(isActionResult)).toEqual([true, false, false, false, false]);
  });

  it("cannot be changed later by the action", async () => {
    const kept = { list: [1] };
    const outcome = await run(() => kept);
    kept.list.push(2);
    expect(outcome).toMatchObject({ ok: true, result: { returnValue: { list: [1] } } });
  });
});

describe("parameters", () => {
  const add = defineAction(
    { name: "act", params: z.object({ a: z.number(), b: z.number().default(10) }) },
    ({ a, b }) => a + b,
  );

  it.each<[string, Record<string, unknown>, number]>([
    ["named", { a: 1, b: 2 }, 3],
    ["completed by the schema", { a: 1 }, 11],
    ["positional", { $1: 1, $2: 2 }, 3],
  ])("%s", async (_, params, expected) => {
    expect(await run(add, { params })).toMatchObject({ ok: true, result: { returnValue: expected } });
  });

  it.each<[string, unknown, Record<string, unknown>, string]>([
    ["of the wrong type", add, { a: "1" }, "the action `act` cannot take these parameters"],
    ["positional beyond the declared ones", add, { $3: 1 }, "expected a name for argument 3"],
    ["positional without an order", () => 1, { $1: 1 }, "expected a name for argument 1, as the action declares none"],
    ["given twice", add, { $1: 1, a: 2 }, "expected the parameter `a` once, got it twice"],
  ])("refuses parameters %s", async (_, value, params, message) => {
    const outcome = await run(value, { params });
    expect(outcome).toMatchObject({ ok: false, kind: "failed" });
    expect(!outcome.ok && outcome.error.message).toContain(message);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, boolean]>([
    ["complete", { city: "Oslo", days: 2 }, {}, true],
    ["missing", { days: 2 }, {}, false],
    ["of the wrong type", { city: "Oslo", days: "two" }, {}, false],
    ["out of range", { city: "Oslo", days: 99 }, {}, false],
    ["required, but not described", { city: "Oslo" }, { required: ["city", "country"] }, false],
    ["extra", { city: "Oslo", nights: 1 }, { additionalProperties: false }, false],
    ["extra and allowed", { city: "Oslo", nights: 1 }, {}, true],
  ])("checked by a JSON schema: %s", async (_, params, more, ok) => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", maximum: 14, default: 1 } },
      required: ["city"],
      ...more,
    };
    const action = defineAction({ name: "act", params: schema }, (given) => given);
    expect((await run(action, { params })).ok).toBe(ok);
  });

  it("applies the defaults of a JSON Schema, also inside objects and lists", async () => {
    const stay = { type: "object", properties: { nights: { type: "integer", default: 2 } }, required: ["nights"] };
    const params = {
      type: "object",
      properties: { stays: { type: "array", items: stay }, first: { ...stay, default: {} } },
    };
    const action = defineAction({ name: "act", params }, (given) => ({ ...given }));
    const outcome = await run(action, { params: { stays: [{}, { nights: 1 }] } });
    const returnValue = { stays: [{ nights: 2 }, { nights: 1 }], first: { nights: 2 } };
    expect(outcome).toMatchObject({ ok: true, result: { returnValue } });
  });

  it("accepts any Standard Schema", async () => {
    const params = {
      "~standard": {
        validate: (value: { a?: unknown }) =>
          typeof value.a === "number" ? { value } : { issues: [{ message: "a is missing" }] },
      },
    };
    const action = defineAction({ name: "act", params }, ({ a }) => a);
    expect(await run(action, { params: { a: 1 } })).toMatchObject({ ok: true, result: { returnValue: 1 } });
    const outcome = await run(action);
    expect(!outcome.ok && outcome.error.message).toBe("invalid parameters of `act`: a is missing");
  });

  it("refuses a JSON Schema with an unsupported keyword", () => {
    const params = { type: "object", properties: { a: { type: "string", pattern: "^a" } } };
    expect(() => defineAction({ name: "act", params }, () => 1)).toThrow(
      "at `properties.a.pattern`: the keyword `pattern` is not supported",
    );
  });
});

describe("failures", () => {
  it("names an unknown action and suggests a similar name", async () => {
    const outcome = await run(() => 1, { name: "actt" });
    expect(outcome).toMatchObject({ ok: false, kind: "missing", error: { action: "actt", code: "RL-201" } });
    expect(!outcome.ok && outcome.error.message).toBe("unknown action `actt`, did you mean `act`?");
  });

  it.each<[string, () => unknown]>([
    [
      "thrown at once",
      () => {
        throw new TypeError("boom");
      },
    ],
    [
      "thrown later",
      async () => {
        throw new TypeError("boom");
      },
    ],
  ])("keeps the cause of an error %s", async (_, act) => {
    const outcome = await run(act);
    expect(outcome).toMatchObject({ ok: false, kind: "failed", error: { message: "the action `act` failed: boom" } });
    expect(!outcome.ok && outcome.error.cause).toBeInstanceOf(TypeError);
  });

  it("keeps the code of a GuardrailsError", async () => {
    const act = (): never => {
      throw new LimitError("too long", { limit: "text_length", maximum: 1, code: "RL-106" });
    };
    expect(await run(act)).toMatchObject({ ok: false, kind: "failed", error: { code: "RL-106" } });
  });

  it.each([new ModelError("rate limit"), new OutputParseError("unreadable")])("rethrows %s", async (error) => {
    const act = (): never => {
      throw error;
    };
    await expect(run(act)).rejects.toBe(error);
  });
});

describe("time and cancellation", () => {
  it("ends an action at its time limit, aborts it and ignores its late result", async () => {
    const timer = manualTimer();
    let context: ActionContext | undefined;
    let finish: (error: Error) => void = () => undefined;
    const act = (_: unknown, given: ActionContext): Promise<never> => {
      context = given;
      return new Promise((_resolve, reject) => {
        finish = reject;
      });
    };
    const pending = run(act, { startTimer: timer.start, timeoutMs: 50 });
    await Promise.resolve();
    timer.fire();
    const outcome = await pending;
    expect(outcome).toMatchObject({
      ok: false,
      kind: "timeout",
      error: { message: "the action `act` took longer than 50 ms" },
    });
    const signals = [
      context?.signal,
      context?.runnableConfig.signal,
      context?.scope.signal,
      context?.scope.config?.signal,
    ];
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true, true]);
    finish(new Error("late"));
    await Promise.resolve();
  });

  it("stops the timer when the action needs no time limit", async () => {
    const timer = manualTimer();
    let unlimited = (): void => undefined;
    let finish: (value: number) => void = () => undefined;
    const pending = run(() => new Promise((resolve) => (finish = resolve)), {
      startTimer: timer.start,
      context: (own, lift) => {
        unlimited = lift;
        return underSignal(actionContext())(own);
      },
    });
    await Promise.resolve();
    expect(timer.running()).toBe(1);
    unlimited();
    expect(timer.running()).toBe(0);
    finish(1);
    expect(await pending).toMatchObject({ ok: true, result: { returnValue: 1 } });
  });

  it("stops the timer when the action is done", async () => {
    const timer = manualTimer();
    await run(() => 1, { startTimer: timer.start });
    expect(timer.running()).toBe(0);
  });

  it("rejects with the caller's reason, before and while the action runs", async () => {
    const reason = new Error("user left");
    await expect(run(() => 1, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    let seen: AbortSignal | undefined;
    const pending = run((_: unknown, { signal }: ActionContext) => ((seen = signal), new Promise(() => undefined)), {
      signal: controller.signal,
    });
    await Promise.resolve();
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(seen?.reason).toBe(reason);
  });

  it("runs the action in the context of the host", async () => {
    const seen: unknown[] = [];
    const runWithConfig: RunWithConfig = (source, work) => (seen.push(source.runnableConfig), work());
    const context = actionContext({ runnableConfig: { tags: ["a"] } });
    expect(await run(() => 5, { context: underSignal(context), runWithConfig })).toMatchObject({
      ok: true,
      result: { returnValue: 5 },
    });
    expect(seen).toEqual([{ tags: ["a"], signal: expect.any(AbortSignal) }]);
  });
});

describe("create_event", () => {
  it("sends an event with its variables filled in", async () => {
    const params = { event: { _type: "Bell", times: 2, who: "$name", none: "$missing", price: "$5" } };
    const outcome = await run(createEventAction, {
      params,
      context: underSignal(actionContext({ context: { name: "Al" } })),
    });
    const events = [{ type: "Bell", times: 2, who: "Al", none: null, price: "$5" }];
    expect(outcome).toMatchObject({ ok: true, result: { returnValue: null, events } });
  });

  it.each([[{}], [{ event: "Bell" }], [{ event: {} }]])(
    "refuses an event that is not a map with a type: %j",
    async (params) => {
      expect((await run(createEventAction, { params })).ok).toBe(false);
    },
  );
});
