import { describe, expect, it } from "@jest/globals";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { RunnableConfig } from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { separateOptions } from "../../../src/langchain/models/model-config.js";

class Separating extends FakeListChatModel {
  separate(options: object | undefined): [RunnableConfig, object] {
    return BaseChatModel.prototype["_separateRunnableConfigFromCallOptionsCompat"].call(this, options as never);
  }
}

const model = new Separating({ responses: [] });
const OWN = Symbol("own");
const { signal } = new AbortController();

const OPTIONS: readonly [string, object | undefined][] = [
  ["no options", undefined],
  ["empty options", {}],
  ["a signal", { signal }],
  ["options of the model", { stop: ["."], tools: [], [OWN]: 1 }],
  ["values that are undefined", { signal: undefined, tags: undefined, stop: undefined }],
  ["a model among configurable values", { configurable: { model: "rye", thread_id: "t" } }],
  [
    "every key of a config",
    {
      callbacks: [],
      tags: ["a"],
      metadata: { b: 1 },
      runName: "c",
      configurable: { d: 2 },
      recursionLimit: 3,
      maxConcurrency: 4,
      runId: "e",
      signal,
      store: {},
      writer: () => undefined,
      rails: { input: false },
    },
  ],
];

describe("separated options of a model call", () => {
  it.each(OPTIONS)("are those of LangChain for %s", (_name, options) => {
    const expected = model.separate(options);
    expect(separateOptions(options)).toStrictEqual(expected);
    expect(separateOptions(options).map((part) => Reflect.ownKeys(part).toSorted(byName))).toEqual(
      expected.map((part) => Reflect.ownKeys(part).toSorted(byName)),
    );
  });

  it("follow the time limit of a config", () => {
    const [config, callOptions] = separateOptions({ signal, timeout: 60_000 });
    expect(config.timeout).toBeUndefined();
    expect(config.signal).not.toBe(signal);
    expect(callOptions["signal"]).toBe(config.signal);
  });

  it("do not change the given options", () => {
    const options = Object.freeze({ signal, stop: ["."] });
    separateOptions(options);
    expect(options).toEqual({ signal, stop: ["."] });
  });
});

function byName(left: PropertyKey, right: PropertyKey): number {
  return String(left).localeCompare(String(right));
}
