import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { CallbackManager } from "@langchain/core/callbacks/manager";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { FakeTracer } from "@langchain/core/utils/testing";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { ChunkedModel } from "./chunked-model.js";
import { ConfigError, Guardrails, type RailDecision, type StreamingOptions, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { MemoryThreadStore } from "../../../src/langchain/threads.js";
import { LimitError } from "../../../src/diagnostics/errors.js";
import { railFlows } from "../../support/rail-flows.js";

describe("text before its review", () => {
  // The window with `secret` is blocked, so neither it nor what follows may be seen anywhere.
  const PIECES = ["fi", "ne ", "bad ", "secret ", "more"];
  const guard = () =>
    realGuardrails({ input: [], output: ["check answer"], streaming: { chunkSize: 2, contextSize: 1 } });
  const guardedModel = async () => (await guard()).wrap(new ChunkedModel(PIECES));
  const guardedChain = async () =>
    (await guard()).wrap(new ChunkedModel(PIECES).pipe(new StringOutputParser()) as Runnable) as Runnable;

  const things: [string, () => Promise<Runnable>][] = [
    ["a model", guardedModel as () => Promise<Runnable>],
    ["a chain", guardedChain],
  ];

  class TokenPusher extends BaseCallbackHandler {
    name = "pusher";
    override awaitHandlers = true;
    readonly tokens: string[] = [];

    override handleLLMNewToken(token: string): void {
      this.tokens.push(token);
    }
  }

  /** The mark of handlers that newer versions of LangGraph notify. */
  const MARK = Symbol.for("langgraph.graph_callback_handler");

  class Observer extends BaseCallbackHandler {
    name = "observer";
    readonly events: unknown[] = [];

    constructor() {
      super();
      Object.assign(this, { [MARK]: true });
    }

    handleInterrupt(event: object): void {
      this.events.push(event);
    }

    handleResume(event: object): void {
      this.events.push(event);
    }
  }

  it.each([{}, { redactTraces: true }])(
    "no handler sees the question in a notice of an interrupt, with %j",
    async (options) => {
      const isMarked = (handler: object): handler is Observer => Reflect.get(handler, MARK) === true;
      const event = {
        runId: "r",
        status: "pending",
        interrupts: [{ id: "q", value: "bad", response_schema: "secret" }],
      };
      const pausing = RunnableLambda.from((_: string, { callbacks }: { callbacks?: CallbackManager }) => {
        for (const handler of callbacks?.handlers.filter(isMarked) ?? []) {
          handler.handleResume({ runId: "r" });
          handler.handleInterrupt(event);
        }
        return "done";
      });
      const observer = new Observer();
      const guardrails = await realGuardrails({ ...options, input: [], output: ["check answer"] });
      await guardrails.wrap(pausing as Runnable).invoke("hi", { callbacks: [observer] });
      const notice = { runId: "r", status: "pending", interrupts: [{ id: "q" }] };
      expect(observer.events).toEqual([{ runId: "r" }, notice]);
    },
  );

  it("no event of a guarded model in streamEvents v3 has text that no window has passed", async () => {
    const events = (await guardedModel()).streamEvents("hi");
    const text = visibleJson(await drain(events));
    expect(text).toContain("REFUSED");
    expect(text).not.toMatch(/bad|secret|more/);
  });

  describe.each(things)("no consumer sees text of %s that no window has passed", (name, make) => {
    const isReleased = (seen: unknown): void => {
      const text = visibleJson(seen);
      expect(text).toContain("REFUSED");
      expect(text).not.toMatch(/bad|secret|more/);
    };

    it("in stream", async () => isReleased(await drain(await (await make()).stream("hi"))));

    it.each(["v1", "v2"] as const)("in streamEvents %s", async (version) => {
      isReleased(await drain((await make()).streamEvents("hi", { version })));
    });

    it("in streamLog", async () => isReleased(await drain((await make()).streamLog("hi"))));

    it("in handleLLMNewToken", async () => {
      const pusher = new TokenPusher();
      await drain(await (await make()).stream("hi", { callbacks: [pusher] }));
      expect(pusher.tokens.join("")).not.toMatch(/bad|secret|more/);
      if (name === "a model") expect(pusher.tokens).toEqual(["fi", "ne ", "REFUSED"]);
    });

    it("in LangGraph's messages, even if the whole graph streams", async () => {
      const runnable = await make();
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("say", async ({ messages }, config) => {
          const said: unknown = await runnable.invoke(messages, config);
          return { messages: typeof said === "string" ? [new AIMessage(said)] : [said as never] };
        })
        .addEdge("__start__", "say")
        .compile();
      isReleased(await drain(await graph.stream({ messages: [new HumanMessage("hi")] }, { streamMode: "messages" })));
    });

    it("but tracers see the inner run and its cancellation", async () => {
      const tracer = new FakeTracer();
      await drain(await (await make()).stream("hi", { callbacks: [tracer] }));
      const runs = JSON.stringify(tracer.runs);
      expect(runs).toContain("ChunkedModel");
    });
  });

  it("streamEvents of a model without a version returns only emitted text", async () => {
    const events = await drain((await guardedModel()).streamEvents("hi") as unknown as AsyncIterable<unknown>);
    const text = visibleJson(events);
    expect(text).toContain("REFUSED");
    expect(text).not.toMatch(/bad|secret|more/);
  });
});

// One decision for each rail, for any number of windows of a streamed response, with the gravest status of all windows.
describe("decisions in a stream", () => {
  const COLANG = railFlows("1.0", {
    judge: ["block", "bot_message", "judge"],
    "hide digits": ["rewrite", "bot_message", "hide", '{"stream": "word"}'],
  });

  const failOn = (text: string): void => {
    if (text.includes("boom")) throw new Error("the judge is down");
  };

  const QUICK = `
define user greet
  "hello"

define flow quick
  user greet
  $skip_output_rails = True
  bot answer freely
`;

  function guarded(rail: string, flow = "", checksAll = false): Promise<Guardrails> {
    return Guardrails.fromConfig(
      {
        colang: `${COLANG}${flow}`,
        config: { rails: { output: { flows: [rail], check_predefined: checksAll } } },
      },
      {
        logger: false,
        streaming: { mode: "window", chunkSize: 1, contextSize: 3 },
        actions: {
          judge: ({ text }: { text: string }) => (failOn(text), !text.includes("bad")),
          hide: ({ text }: { text: string }) => (failOn(text), text.replaceAll(/\d/g, "*")),
        },
      },
    );
  }

  async function decisionsOf(rail: string, answer: string): Promise<readonly RailDecision[]> {
    const chunks = await drain(await (await guarded(rail)).wrap(scriptedModel(answer)).stream("hi"));
    return chunks.flatMap((chunk) => verdictOf(chunk)?.decisions ?? []);
  }

  describe("the decision of a rail on a streamed response", () => {
    it.each([
      ["judge", "all of it is fine", "passed"],
      ["judge", "first fine and then bad", "blocked"],
      ["judge", "bad at once, and fine later", "blocked"],
      ["judge", "first fine and then boom", "error"],
      ["hide digits", "no number in here", "passed"],
      ["hide digits", "17 and then no number", "modified"],
      ["hide digits", "no number until 17 ", "modified"],
      ["hide digits", "17 and more, then boom ", "error"],
    ])("of `%s` on `%s` is a single `%s`", async (rail, answer, status) => {
      const decisions = await decisionsOf(rail, answer);
      expect(decisions.map((decision) => [decision.rail, decision.status])).toEqual([[rail, status]]);
      expect(decisions[0]?.durationMs).toBeGreaterThanOrEqual(0);
    });
  });

  describe("a flow that skips the output rails", () => {
    it.each([
      ["invoke", false, "a bad answer"],
      ["stream", false, "a bad answer"],
      ["invoke", true, "REFUSED"],
      ["stream", true, "REFUSED"],
    ])("in `%s` with `check_predefined: %p` leads to `%s`", async (way, checksAll, expected) => {
      const model = (await guarded("judge", QUICK, checksAll)).wrap(scriptedModel("a bad answer"));
      const messages = way === "invoke" ? [await model.invoke("hello")] : await drain(await model.stream("hello"));
      const text = messages.map((message) => message.text).join("");
      expect([text.endsWith(expected), text.includes("bad")]).toEqual([true, !checksAll]);
    });
  });
});

describe("threads of unread streams", () => {
  const LIMIT = 60_000;
  const WORDS = ["one ", "two ", "three ", "four ", "five ", "six "];
  const thread = { configurable: { thread_id: "t" } };
  const versions: readonly Version[] = ["1.0", "2.x"];
  const SURFACES: Readonly<Record<string, (guardrails: Guardrails, model: ChunkedModel) => Runnable>> = {
    "a model": (guardrails, model) => guardrails.wrap(model) as unknown as Runnable,
    "a chain": (guardrails, model) => guardrails.wrap(model.pipe(new StringOutputParser()) as Runnable) as Runnable,
  };
  const cells = versions.flatMap((version) => Object.keys(SURFACES).map((surface) => ({ version, surface })));

  beforeEach(() => void jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] }));
  afterEach(() => void jest.useRealTimers());

  const idle = async (): Promise<void> => {
    for (let index = 0; index < 20; index += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  async function open({ version, surface }: { version: Version; surface: string }) {
    const threads = new MemoryThreadStore();
    const streaming = { chunkSize: 1, contextSize: 0 } as const;
    const guardrails = await realGuardrails({
      version,
      threads,
      streaming,
      input: ["check words"],
      output: ["check answer"],
    });
    const model = new ChunkedModel(WORDS);
    return { threads, model, runnable: (SURFACES[surface] as (typeof SURFACES)[string])(guardrails, model) };
  }

  /** Reads to the end. */
  async function readAll(reader: AsyncIterator<unknown>): Promise<number> {
    for (let count = 0; ; count += 1) if ((await reader.next()).done === true) return count;
  }

  describe.each(cells)("a stream on a thread (Colang $version, $surface)", (cell) => {
    it.each([0, 1])("that is closed after %d chunks does not block the thread", async (read) => {
      const { threads, model, runnable } = await open(cell);
      const reader = (await runnable.stream("hi", thread))[Symbol.asyncIterator]();
      for (let count = 0; count < read; count += 1) await reader.next();
      await idle();
      let isDone = false;
      const next = runnable.invoke("again", thread).then((value) => ((isDone = true), value));
      await jest.advanceTimersByTimeAsync(LIMIT - 1);
      await idle();
      expect(isDone).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      await idle();
      await next;
      expect(threads.get("t")).toBeDefined();
      expect(model.signals[0]?.aborted).toBe(true);
      const error: unknown = await readAll(reader).catch((thrown: unknown) => thrown);
      expect(LimitError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ limit: "unreadStream", maximum: LIMIT });
    });

    it("that is read slowly is complete", async () => {
      const { threads, runnable } = await open(cell);
      const reader = (await runnable.stream("hi", thread))[Symbol.asyncIterator]();
      let text = "";
      for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
        text += typeof next.value === "string" ? next.value : (next.value as { content: string }).content;
        await idle();
        await jest.advanceTimersByTimeAsync(LIMIT - 1);
      }
      expect(text).toBe(WORDS.join(""));
      expect(threads.get("t")).toBeDefined();
    });

    it("has no such limit without a thread", async () => {
      const { runnable } = await open(cell);
      const reader = (await runnable.stream("hi"))[Symbol.asyncIterator]();
      await idle();
      await jest.advanceTimersByTimeAsync(10 * LIMIT);
      expect(await readAll(reader)).toBeGreaterThanOrEqual(WORDS.length);
    });
  });
});

describe("many streams at once", () => {
  describe("rails that rewrite an emitted response are refused", () => {
    it.each<[string, string, StreamingOptions]>([
      ["a rail that rewrites the response, passed through", "hide digits of answer", { mode: "passthrough" }],
      ["a rail that rewrites the response, streamed first", "hide digits of answer", { streamFirst: true }],
      ["a rail that rewrites words, passed through", "hide digits of words", { mode: "passthrough" }],
      ["a rail that rewrites words, streamed first", "hide digits of words", { streamFirst: true }],
    ])("%s", async (_, rail, streaming) => {
      const failed: unknown = await realGuardrails({ output: ["check answer", rail], streaming }).catch(
        (error: unknown) => error,
      );
      expect(ConfigError.isInstance(failed)).toBe(true);
      expect((failed as ConfigError).diagnostics).toMatchObject([
        { code: "CF-106", path: "rails.output.flows[1]", hint: expect.stringContaining('mode: "window"') as unknown },
      ]);
      const option = streaming.streamFirst === true ? "`stream_first`" : '`mode: "passthrough"`';
      expect((failed as Error).message).toContain(`${option} sends an answer before \`${rail}\``);
    });

    it("with the position of the rail in the file", async () => {
      const yaml = "rails:\n  output:\n    streaming:\n      stream_first: true\n    flows:\n      - hide it\n";
      const colang = 'define subflow hide it\n  $bot_message = "x"\n';
      const failed: unknown = await Guardrails.fromConfig({ yaml, colang }).catch((error: unknown) => error);
      expect((failed as Error).message).toContain("`stream_first` sends an answer before `hide it` has rewritten it");
      expect((failed as Error).message).toContain("- hide it");
    });

    it.each<[string, readonly string[], StreamingOptions]>([
      ["rails that only judge", ["check answer"], { streamFirst: true }],
      ["windows", ["hide digits of words"], { mode: "window" }],
      ["a whole response", ["hide digits of answer"], { mode: "buffer", streamFirst: true }],
    ])("and %s are not", async (_, output, streaming) => {
      await expect(realGuardrails({ output, streaming })).resolves.toBeInstanceOf(Guardrails);
    });
  });

  describe("rails in Colang 2.x that rewrite an emitted response are refused too", () => {
    const RAILS = `import core

flow hide it
  global $bot_message
  $bot_message = "x"

flow hide sometimes
  global $bot_message
  if "bad" in $bot_message
    $bot_message = "x"

@meta(stream="word")
flow hide words
  global $bot_message
  $shown = await HideAction(text=$bot_message)
  $bot_message = $shown

flow judge it
  global $bot_message
  if "bad" in $bot_message
    bot say "no"
    abort
`;
    const open = (rail: string, streaming: StreamingOptions): Promise<unknown> => {
      const yaml = `colang_version: "2.x"\nrails:\n  output:\n    flows:\n      - judge it\n      - ${rail}\n`;
      return Guardrails.fromConfig(
        { yaml, colang: RAILS },
        { streaming, actions: { HideAction: ({ text }: { text: string }) => text } },
      ).catch((error: unknown) => error);
    };

    it.each<[string, StreamingOptions]>([
      ["hide it", { mode: "passthrough" }],
      ["hide it", { streamFirst: true }],
      ["hide sometimes", { streamFirst: true }],
      ["hide words", { mode: "passthrough" }],
    ])("%s with %o", async (rail, streaming) => {
      const failed = await open(rail, streaming);
      expect(ConfigError.isInstance(failed)).toBe(true);
      expect((failed as ConfigError).diagnostics).toMatchObject([{ code: "CF-106", path: "rails.output.flows[1]" }]);
      expect((failed as Error).message).toContain(`- ${rail}`);
    });

    it.each<[string, StreamingOptions]>([
      ["judge it", { mode: "passthrough" }],
      ["judge it", { streamFirst: true }],
      ["hide it", { mode: "window" }],
      ["hide it", { mode: "buffer", streamFirst: true }],
      ["hide words", { mode: "window" }],
    ])("and %s with %o is not", async (rail, streaming) => {
      await expect(open(rail, streaming)).resolves.toBeInstanceOf(Guardrails);
    });
  });
});
