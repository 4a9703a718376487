// Arguments and results of tools that no JSON can hold: a typed error or a review on every surface, never a bare one.
import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { GuardrailsError } from "../../../src/index.js";
import { guardrailsOf } from "../../system/matrix/outcomes.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";

const deep = (levels: number): unknown => {
  let value: unknown = "x";
  for (let level = 0; level < levels; level += 1) value = { inner: value };
  return value;
};
const cyclic = (): object => {
  const value: Record<string, unknown> = { q: "x" };
  return Object.assign(value, { self: value });
};
const throwing = (): object => Object.defineProperty({}, "q", { enumerable: true, get: () => raise() });
const raise = (): never => {
  throw new RangeError("a getter");
};

const HOSTILE: readonly (readonly [string, () => unknown])[] = [
  ["a deep object", () => ({ q: deep(20_000) })],
  ["a cycle", cyclic],
  ["a bigint", () => ({ q: 12n })],
  ["a getter that fails", throwing],
];

type Surface = (args: unknown) => Promise<unknown>;
const named = (invoke: (args: unknown) => Promise<unknown>) =>
  ({ name: "look_up", description: "d", schema: { type: "object", properties: {} }, invoke }) as never;
const SURFACES: Readonly<Record<string, Surface>> = {
  "tool() with arguments": async (args) =>
    (await guardrailsOf("1.0", "block")).tool(named(async () => "fine")).invoke(args as never),
  "tool() with a call": async (args) =>
    (await guardrailsOf("1.0", "block"))
      .tool(named(async () => "fine"))
      .invoke({ type: "tool_call", id: "c1", name: "look_up", args } as never),
  "tool() with such a result": async (args) =>
    (await guardrailsOf("1.0", "block")).tool(named(async () => args)).invoke({ q: "x" } as never),
  "output()": async (args) => (await guardrailsOf("1.0", "block")).output<unknown>().invoke(asking(args)),
  check: async (args) => (await guardrailsOf("1.0", "block")).check(asking(args)),
  "wrap(model)": async (args) => (await guardrailsOf("1.0", "block")).wrap(scriptedModel([asking(args)])).invoke("hi"),
  "a chain": async (args) =>
    (await guardrailsOf("1.0", "block")).output<unknown>().invoke({ answer: "fine", more: args }),
};
const asking = (args: unknown): AIMessage =>
  Object.assign(new AIMessage(""), { tool_calls: [{ type: "tool_call", id: "c1", name: "look_up", args }] });

describe("a key beside an answer that no rail can read", () => {
  it.each(
    [...HOSTILE, ["an object of a hundred levels", () => deep(100)] as const].filter(([name]) => name !== "a bigint"),
  )("blocks %s", async (_name, make) => {
    const result = await SURFACES["a chain"]?.(make());
    expect(JSON.stringify(result)).not.toContain("more");
  });
});

describe.each(Object.entries(SURFACES))("%s", (_, surface) => {
  it.each(HOSTILE)("reads %s, or fails with an error of its own", async (_name, make) => {
    const error = await surface(make()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error !== undefined && !GuardrailsError.isInstance(error)) throw error;
    expect(error === undefined || GuardrailsError.isInstance(error)).toBe(true);
  });
});
