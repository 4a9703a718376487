import { describe, expect, it } from "@jest/globals";
import { type RunnableConfig, RunnableLambda } from "@langchain/core/runnables";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import {
  callbacksFor,
  redactConfig,
  redactHandler,
  redactMessage,
} from "../../../src/langchain/redaction/redacted-handler.js";
import type { ActionContext } from "../../../src/actions/action.js";
import type { RailDecision } from "../../../src/turn/decision.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

// Handlers that receive runs without texts.
describe("callback handlers", () => {
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
      [
        "handleLLMEnd",
        [{ generations: [] }, "run", "p", ["t"], { walnut: 1 }],
        [{ generations: [] }, "run", "p", ["t"]],
      ],
      ["handleChainStart", [runnable, { question: "walnut" }, ...rest], [bare, { question: REDACTED }, ...rest]],
      ["_createRunForChainStart", [runnable, "walnut", ...rest], [bare, REDACTED, ...rest]],
      [
        "handleChainError",
        [error(), "run", "p", ["t"], { inputs: "walnut", a: 1 }],
        [kind, "run", "p", ["t"], { inputs: REDACTED, a: 1 }],
      ],
      [
        "handleChainEnd",
        [{ output: "walnut" }, "run", "p", ["t"], { inputs: { question: "walnut" } }],
        [{ output: REDACTED }, "run", "p", ["t"], { inputs: { question: REDACTED } }],
      ],
      ["handleToolStart", [runnable, "walnut", ...rest], [bare, REDACTED, ...rest]],
      ["_createRunForToolStart", [runnable, "walnut", ...rest], [bare, REDACTED, ...rest]],
      ["handleToolError", [error(), ...rest], [kind, ...rest]],
      ["handleToolEnd", ["walnut", ...rest], [REDACTED, ...rest]],
      ["handleToolEnd", [{ result: "walnut" }, ...rest], [{ result: REDACTED }, ...rest]],
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

    it("has only the listed methods of the handler", () => {
      const methods = redactHandler(new Recorder(["handleText", "handleSecret"])) as unknown as Methods;
      expect(
        [methods["handleText"], methods["handleChainStart"], methods["getRun"]].map((each) => typeof each),
      ).toEqual(["function", "undefined", "undefined"]);
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

    it("has the name and the flags of the handler, and is the same for the same handler", () => {
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
    ])("is the handler itself if it serves streams: %s = %p", (key, value, isKept) => {
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

    it.each<[RunnableConfig | undefined]>([[{}], [undefined]])("has none if none is given: %j", (config) => {
      expect(redactConfig(config).callbacks).toBeUndefined();
    });

    it.each([
      [true, false],
      [false, true],
      [undefined, true],
    ])("is requested by `redactTraces`: %p", (redactTraces, isSame) => {
      const callbacks = [recorder];
      const given = callbacksFor({ redactTraces } as Parameters<typeof callbacksFor>[0], callbacks);
      expect(given === callbacks).toBe(isSame);
      if (!isSame) expect((given as CallbackManager).handlers).toEqual([redactHandler(recorder)]);
      expect(callbacksFor({ redactTraces } as Parameters<typeof callbacksFor>[0], undefined as never)).toBeUndefined();
    });
  });
});

describe("redacted results", () => {
  const VERSIONS: readonly Version[] = ["1.0", "2.x"];
  /** A short text that a rail blocks; its marker occurs nowhere else. */
  const BLOCKED = "bad zq7";
  const MARKER = /zq7/iu;

  const LOG = { activatedRails: true, llmCalls: true, internalEvents: true, colangHistory: true } as const;

  type Quoting = (text: string, context: ActionContext) => void;

  /** Ways in which an action repeats its text. */
  const QUOTING: Readonly<Record<string, Quoting>> = {
    "a reason": (text, context) => context.annotate({ reason: `I read: ${text.toUpperCase()}` }),
    "details in nested JSON": (text, context) =>
      context.annotate({
        metadata: { raw: JSON.stringify({ body: JSON.stringify({ text }) }), list: [text], [text]: 1 },
      }),
    categories: (text, context) => context.annotate({ categories: [text, "insult"] }),
    "an error": (text) => {
      throw new Error(`cannot judge ${text}`, { cause: { text } });
    },
    "an error of data": (text) => void JSON.parse(text),
  };

  describe.each(VERSIONS)("Colang %s: a short blocked text is emitted", (version) => {
    describe.each(Object.entries(QUOTING))("nowhere, even if an action repeats it as %s", (_, action) => {
      const decided: RailDecision[] = [];
      const make = (onError?: "throw") =>
        realGuardrails({
          version,
          input: ["check words"],
          output: ["check answer"],
          actions: {
            check_words: ({ text }: { text: string }, context: unknown) => {
              action(text, context as ActionContext);
              return !text.includes("bad");
            },
          },
          llm: scriptedModel([BLOCKED]),
          onDecision: (decision) => decided.push(decision),
          ...(onError === undefined ? {} : { onError }),
        });

      it.each<[string, (guardrails: Awaited<ReturnType<typeof make>>) => Promise<unknown>]>([
        ["generate", (guardrails) => guardrails.generate(BLOCKED, { log: LOG, outputVars: true, state: {} })],
        ["check", (guardrails) => guardrails.check(BLOCKED, { stage: "input" })],
        ["check of a response", (guardrails) => guardrails.check(BLOCKED)],
        ["rail", (guardrails) => guardrails.rail("check words").invoke(BLOCKED)],
        ["wrap", (guardrails) => guardrails.wrap(scriptedModel([BLOCKED])).invoke("hello")],
        [
          "an input step",
          (guardrails) =>
            guardrails
              .input()
              .invoke(BLOCKED)
              .catch((error: unknown) => error),
        ],
        ["an output step", (guardrails) => guardrails.output().invoke(new AIMessage(BLOCKED))],
        [
          "events",
          async (guardrails) => {
            const chain = guardrails.wrap(RunnableLambda.from(() => BLOCKED));
            return drain(chain.streamEvents("hello", { version: "v2" }));
          },
        ],
      ])("%s", async (_route, run) => {
        decided.length = 0;
        const guardrails = await make();
        const result = await run(guardrails);
        expect(visibleJson(result)).not.toMatch(MARKER);
        expect(String((result as { message?: unknown }).message)).not.toMatch(MARKER);
        expect(visibleJson(decided)).not.toMatch(MARKER);
        expect(decided.some(({ status }) => status === "blocked" || status === "error")).toBe(true);
      });

      it("in an error", async () => {
        const guardrails = await make("throw");
        const error: unknown = await guardrails.check(BLOCKED, { stage: "input" }).catch((thrown: unknown) => thrown);
        for (let at = error; at instanceof Error; at = at.cause) {
          expect([at.message, at.stack, visibleJson({ ...at })].join("\n")).not.toMatch(MARKER);
        }
      });
    });

    it("neither in prompts nor in completions that `explain` shows", async () => {
      const judge = scriptedModel(["Yes"]);
      const guardrails = await realGuardrails({ version, input: ["check words"], output: [], llm: judge });
      const { explain, log, response } = await guardrails.generate(BLOCKED, { log: LOG });
      expect(response).toBe("REFUSED");
      expect(visibleJson([explain, log, explain.summary(), log.why("check words")])).not.toMatch(MARKER);
    });

    it("nor does a masked one", async () => {
      const llm = scriptedModel(["the number 90417 is yours"]);
      const guardrails = await realGuardrails({
        version,
        input: ["hide digits"],
        output: ["hide digits of answer"],
        llm,
      });
      const result = await guardrails.generate([{ role: "user", content: "is 81326 mine?" }], {
        log: LOG,
        outputVars: true,
        state: {},
      });
      expect(visibleJson(result)).not.toMatch(/90417|81326/u);
      expect(visibleJson(result)).toContain("the number *****");
    });
  });

  describe("copies next to a masked response", () => {
    const text = 'call "Bob" at 90417';
    const copies: readonly [string, unknown][] = [
      ["parsed data", { parsed: { number: "90417", note: text } }],
      ["nested JSON", { raw: JSON.stringify({ a: JSON.stringify({ text }) }) }],
      ["unicode escapes", { raw: "\\u0039\\u0030\\u0034\\u0031\\u0037" }],
      ["other blanks and letters", { raw: text.toUpperCase().replaceAll(" ", " \n") }],
      ["a list", { tokens: ["call", "90417"] }],
      ["a key", { "90417": true }],
    ];

    it.each(copies)("%s are not emitted", async (_, extra) => {
      const guardrails = await realGuardrails({ output: ["hide digits of answer"] });
      const message = new AIMessage({
        content: text,
        additional_kwargs: extra as Record<string, unknown>,
        response_metadata: { provider: extra, model_name: "m" },
      });
      const shapes: readonly unknown[] = [
        message,
        [new HumanMessage("hi"), message],
        { answer: text, extra, context: [new Document({ pageContent: `notes: ${text}` })], kept: "x" },
        { messages: [new HumanMessage("hi"), message] },
      ];
      for (const shape of shapes) {
        const result = await guardrails.output().invoke(shape);
        expect(visibleJson(result)).not.toContain("90417");
        expect(visibleJson(result)).not.toContain("u0037");
        expect(visibleJson(result)).toContain("*****");
        const wrapped = guardrails.wrap(RunnableLambda.from(() => shape));
        expect(visibleJson(await wrapped.invoke("hi"))).not.toContain("90417");
      }
      const model = guardrails.wrap(
        RunnableLambda.from(async function* () {
          yield new AIMessageChunk({ content: text, additional_kwargs: extra as Record<string, unknown> });
        }),
      );
      expect(visibleJson(await drain(await model.stream("hi")))).not.toContain("90417");
    });
  });
});
