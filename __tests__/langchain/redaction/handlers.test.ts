// Handlers that receive runs without texts.
import { describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { HumanMessage } from "@langchain/core/messages";
import { callbacksFor, redactConfig, redactHandler } from "../../../src/langchain/redaction/redacted-handler.js";
import { redactMessage } from "../../../src/langchain/redaction/redact-payload.js";

const REDACTED = "[redacted]";

type Methods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

class Recorder extends BaseCallbackHandler {
  name = "recorder";
  readonly calls: unknown[][] = [];

  constructor(methods: readonly string[], fields: object = {}) {
    super();
    for (const name of methods) {
      Object.assign(this, { [name]: (...args: unknown[]) => (this.calls.push([name, ...args]), `from ${name}`) });
    }
    Object.assign(this, fields);
  }
}

const runnable = { lc: 1, type: "constructor", id: ["x"], kwargs: { template: "walnut" } };
const bare = { lc: 1, type: "constructor", id: ["x"] };
const human = new HumanMessage("walnut");
const error = (): Error => new TypeError("walnut");
const kind = expect.objectContaining({ name: "TypeError", message: REDACTED });
const rest = ["run", "parent", ["tag"], { m: 1 }, "type", "name"];
const extra = { options: { stop: ["walnut"] } };

describe("a redacted handler", () => {
  it.each<[string, readonly unknown[], readonly unknown[]]>([
    [
      "handleLLMStart",
      [runnable, ["walnut", "x"], "run", "parent", extra, "tags"],
      [bare, [REDACTED, REDACTED], "run", "parent", { options: {} }, "tags"],
    ],
    [
      "_createRunForLLMStart",
      [runnable, ["walnut"], "run", "p", extra, "t"],
      [bare, [REDACTED], "run", "p", { options: {} }, "t"],
    ],
    [
      "handleChatModelStart",
      [runnable, [[human]], "run", "p", extra, "t"],
      [bare, [[redactMessage(human)]], "run", "p", { options: {} }, "t"],
    ],
    [
      "_createRunForChatModelStart",
      [runnable, [[human]], "run", "p", extra],
      [bare, [[redactMessage(human)]], "run", "p", { options: {} }],
    ],
    [
      "handleLLMNewToken",
      ["walnut", { prompt: 0 }, "run", "p", ["t"], { chunk: "walnut" }],
      ["", { prompt: 0 }, "run", "p", ["t"]],
    ],
    ["handleLLMError", [error(), ...rest], [kind, ...rest]],
    ["handleLLMEnd", [{ generations: [] }, "run", "p", ["t"], { walnut: 1 }], [{ generations: [] }, "run", "p", ["t"]]],
    ["handleChainStart", [runnable, { q: "walnut" }, ...rest], [bare, { q: REDACTED }, ...rest]],
    ["_createRunForChainStart", [runnable, "walnut", ...rest], [bare, REDACTED, ...rest]],
    [
      "handleChainError",
      [error(), "run", "p", ["t"], { inputs: "walnut", a: 1 }],
      [kind, "run", "p", ["t"], { inputs: REDACTED, a: 1 }],
    ],
    [
      "handleChainEnd",
      [{ out: "walnut" }, "run", "p", ["t"], { inputs: { q: "walnut" } }],
      [{ out: REDACTED }, "run", "p", ["t"], { inputs: { q: REDACTED } }],
    ],
    ["handleToolStart", [runnable, "walnut", ...rest], [bare, REDACTED, ...rest]],
    ["_createRunForToolStart", [runnable, "walnut", ...rest], [bare, REDACTED, ...rest]],
    ["handleToolError", [error(), ...rest], [kind, ...rest]],
    ["handleToolEnd", ["walnut", ...rest], [REDACTED, ...rest]],
    ["handleToolEnd", [{ found: "walnut" }, ...rest], [{ found: REDACTED }, ...rest]],
    ["handleToolEnd", [undefined, ...rest], [undefined, ...rest]],
    ["handleText", ["walnut", ...rest], [REDACTED, ...rest]],
    [
      "handleAgentAction",
      [{ tool: "look_up", toolInput: "walnut", log: "walnut" }, ...rest],
      [{ tool: "look_up", toolInput: REDACTED, log: REDACTED }, ...rest],
    ],
    [
      "handleAgentAction",
      [{ tool: "a walnut" }, ...rest],
      [{ tool: REDACTED, toolInput: REDACTED, log: REDACTED }, ...rest],
    ],
    ["handleAgentAction", ["walnut"], [{ tool: REDACTED, toolInput: REDACTED, log: REDACTED }]],
    [
      "handleAgentEnd",
      [{ returnValues: { output: "walnut" }, log: "walnut" }, ...rest],
      [{ returnValues: {}, log: REDACTED }, ...rest],
    ],
    ["handleRetrieverStart", [runnable, "walnut", ...rest], [bare, REDACTED, ...rest]],
    ["_createRunForRetrieverStart", [runnable, "walnut", ...rest], [bare, REDACTED, ...rest]],
    [
      "handleRetrieverEnd",
      [[{ pageContent: "walnut" }], ...rest],
      [[{ pageContent: REDACTED, metadata: {} }], ...rest],
    ],
    ["handleRetrieverError", [error(), ...rest], [kind, ...rest]],
    ["handleCustomEvent", ["rail", { text: "walnut" }, ...rest], ["rail", REDACTED, ...rest]],
    ...["_addRunToRunMap", "convertToRunTree", "updateFromRunTree", "getRun"].map(
      (name): [string, readonly unknown[], readonly unknown[]] => [name, ["run", { id: 1 }], ["run", { id: 1 }]],
    ),
  ])("passes %s on without texts (%#)", (name, given, expected) => {
    const recorder = new Recorder([name]);
    const methods = redactHandler(recorder) as unknown as Methods;
    expect(methods[name]?.(...given)).toBe(`from ${name}`);
    expect(recorder.calls).toEqual([[name, ...expected]]);
    expect(JSON.stringify(recorder.calls)).not.toContain("walnut");
  });

  it("has only the methods that the handler has, and none that is not listed", () => {
    const methods = redactHandler(new Recorder(["handleText", "handleSecret"])) as unknown as Methods;
    expect([methods["handleText"], methods["handleChainStart"], methods["getRun"]].map((each) => typeof each)).toEqual([
      "function",
      "undefined",
      "undefined",
    ]);
    expect(methods["handleSecret"]).toBeUndefined();
  });

  it("can be changed by LangChain as any handler", () => {
    for (const name of ["handleText", "getRun"]) {
      const handler = redactHandler(new Recorder([name])) as unknown as Record<string, unknown>;
      handler[name] = 7;
      expect(handler[name]).toBe(7);
      expect(delete handler[name]).toBe(true);
    }
  });

  it("has the name and the switches of the handler, and is the same for the same handler", () => {
    const recorder = new Recorder([], { raiseError: true, awaitHandlers: true, ignoreLLM: true });
    const redacted = redactHandler(recorder);
    expect(redacted).not.toBe(recorder);
    expect(redacted).toMatchObject({ name: "recorder", raiseError: true, awaitHandlers: true, ignoreLLM: true });
    expect(redactHandler(recorder)).toBe(redacted);
    expect(redactHandler(redacted)).toBe(redacted);
    expect(redactHandler(new Recorder([]))).not.toBe(redacted);
  });

  it.each([
    ["lc_prefer_streaming", true, true],
    ["lc_prefer_chat_model_stream_events", true, true],
    ["lc_prefer_streaming", false, false],
    ["lc_prefer_chat_model_stream_events", "yes", false],
  ])("is the handler itself where it serves streams: %s = %p", (key, value, isKept) => {
    const handler = new Recorder([], { [key]: value });
    expect(redactHandler(handler) === handler).toBe(isKept);
  });
});

describe("a config with redacted handlers", () => {
  const recorder = new Recorder(["handleText"]);

  it("has redacted copies of all handlers, and leaves the given ones as they are", () => {
    const manager = new CallbackManager();
    manager.addHandler(recorder, true);
    const own = new Recorder([]);
    manager.addHandler(own, false);
    const { callbacks, tags } = redactConfig({ callbacks: manager, tags: ["t"] });
    expect(callbacks).toBeInstanceOf(CallbackManager);
    const { handlers, inheritableHandlers } = callbacks as CallbackManager;
    expect(handlers).toEqual([redactHandler(recorder), redactHandler(own)]);
    expect(handlers.every((each) => each !== recorder && each !== own)).toBe(true);
    expect(inheritableHandlers).toEqual([redactHandler(recorder)]);
    expect(inheritableHandlers[0]).toBe(redactHandler(recorder));
    expect(manager.handlers).toEqual([recorder, own]);
    expect(tags).toEqual(["t"]);
  });

  it.each<[RunnableConfig | undefined]>([[{}], [undefined]])("has none where none is given: %j", (config) => {
    expect(redactConfig(config).callbacks).toBeUndefined();
  });

  it.each([
    [true, false],
    [false, true],
    [undefined, true],
  ])("is asked for by `redactTraces`: %p", (redactTraces, isSame) => {
    const callbacks = [recorder];
    const given = callbacksFor({ redactTraces } as Parameters<typeof callbacksFor>[0], callbacks);
    expect(given === callbacks).toBe(isSame);
    if (!isSame) expect((given as CallbackManager).handlers).toEqual([redactHandler(recorder)]);
    expect(callbacksFor({ redactTraces } as Parameters<typeof callbacksFor>[0], undefined as never)).toBeUndefined();
  });
});
