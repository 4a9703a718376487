import { Document } from "@langchain/core/documents";
import { RunnableLambda, type RunnableConfig } from "@langchain/core/runnables";
import { DynamicTool, tool } from "@langchain/core/tools";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod/v4";
import { defineAction } from "../../src/actions/define-action.js";
import { toActionDefinition } from "../../src/actions/from-value.js";
import { actionContext } from "./context.js";

class Stock {
  static made = 0;
  readonly #greeting = "in stock: ";

  constructor() {
    Stock.made += 1;
  }

  run(params: Readonly<Record<string, unknown>>): string {
    return this.#greeting + String(params["item"]);
  }
}

const weather = tool(({ city, days }) => `${city} for ${days}`, {
  name: "weather",
  description: "Returns the weather.",
  schema: z.object({ city: z.string(), days: z.number() }),
});

describe("values that can be an action", () => {
  it.each<[string, unknown, string | undefined, Record<string, unknown>, unknown]>([
    [
      "a function",
      function add(params: { a: number }) {
        return params.a + 1;
      },
      "add",
      { a: 1 },
      2,
    ],
    ["an asynchronous function", async (params: { a: number }) => params.a + 1, "later", { a: 1 }, 2],
    ["a defined action", defineAction({ name: "echo" }, ({ text }) => text), undefined, { text: "hi" }, "hi"],
    ["an object with `run`", { name: "runner", run: () => 7 }, undefined, {}, 7],
    ["a class with `run`", Stock, undefined, { item: "tube" }, "in stock: tube"],
    ["a LangChain tool", weather, undefined, { city: "Oslo", days: 2 }, "Oslo for 2"],
    [
      "a tool of one text",
      new DynamicTool({ name: "shout", description: "", func: async (text) => text.toUpperCase() }),
      undefined,
      { input: "hi" },
      "HI",
    ],
    ["a runnable", RunnableLambda.from((params: { a: number }) => params.a * 2), "double", { a: 4 }, 8],
    ["anything with `invoke`", { invoke: async (params: { a: number }) => params.a }, "pass", { a: 4 }, 4],
  ])("%s", async (_, value, name, params, expected) => {
    const action = toActionDefinition(value, name);
    expect(await action.run(params, actionContext())).toEqual(expected);
  });

  it.each<[string, unknown, string | undefined, string]>([
    ["a number", 3, "three", "expected the action `three` to be runnable, got a number"],
    ["null", null, "none", "expected the action `none` to be runnable, got null"],
    ["a list", [], "list", "expected the action `list` to be runnable, got an array"],
    [
      "an object without `run`",
      { invok: 1 },
      "typo",
      "expected the action `typo` to be runnable, got an object with the keys `invok`",
    ],
    [
      "a document",
      new Document({ pageContent: "x" }),
      "doc",
      "expected the action `doc` to be runnable, got an instance of `Document`",
    ],
    [
      "a class without `run`",
      class Idle {
        readonly name = "idle";
      },
      undefined,
      "expected the class of the action `Idle` to have a method `run`",
    ],
    [
      "a function without a name",
      (
        () => () =>
          1
      )(),
      undefined,
      "expected an action with a name, got a function without one",
    ],
  ])("refuses %s", (_, value, name, message) => {
    expect(() => toActionDefinition(value, name)).toThrow(message);
  });

  it("instantiates a class once, on first use", async () => {
    Stock.made = 0;
    const action = toActionDefinition(Stock, "stock");
    expect(Stock.made).toBe(0);
    await action.run({ item: "a" }, actionContext());
    await action.run({ item: "b" }, actionContext());
    expect(Stock.made).toBe(1);
  });

  it("passes the config and the signal to runnables", async () => {
    const seen: RunnableConfig[] = [];
    const runnable = { invoke: async (_: unknown, config: RunnableConfig) => seen.push(config) };
    const { signal } = new AbortController();
    const context = actionContext({ signal, runnableConfig: { tags: ["guardrails"] } });
    await toActionDefinition(runnable, "seen").run({}, context);
    expect(seen).toEqual([{ tags: ["guardrails"], signal }]);
  });

  it("returns the only output of an older chain", async () => {
    const chain = { outputKeys: ["text"], invoke: async () => ({ text: "hello", other: 1 }) };
    expect(await toActionDefinition(chain, "chain").run({}, actionContext())).toBe("hello");
  });

  it("knows the parameters of tools and renames arguments", () => {
    expect(toActionDefinition(weather, "forecast")).toMatchObject({
      name: "forecast",
      parameters: ["city", "days"],
      local: true,
      system: false,
      verdict: false,
    });
  });
});
