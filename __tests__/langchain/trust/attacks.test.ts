// Ways in which an unreviewed text could be emitted, in addition to those of leaks.test.ts, from the outside in.
import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  type AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  HumanMessage,
} from "@langchain/core/messages";
import { type Runnable, type RunnableConfig, RunnableLambda } from "@langchain/core/runnables";
import { OutputParserException, StringOutputParser } from "@langchain/core/output_parsers";
import { tool } from "@langchain/core/tools";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { concat } from "@langchain/core/utils/stream";
import { Annotation, Command, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { MultipleStructuredOutputsError, StructuredOutputParsingError, ToolInvocationError } from "langchain";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { guardrailsNode } from "../../../src/langchain/langgraph.js";
import { OutputParseError } from "../../../src/diagnostics/errors.js";
import { type Guardrails, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

const SECRET = "a bad answer reveals the vault code";
const seenIn = (value: unknown): string => visibleJson(value);
const human = (text: string): { messages: BaseMessage[] } => ({
  messages: [new HumanMessage({ content: text, id: "h1" })],
});

/** A graph that responds with the secret, and emits it on every channel of a graph. */
function talkativeGraph() {
  return new StateGraph(MessagesAnnotation)
    .addNode("draft", async (_state, config: RunnableConfig & { writer?: (value: unknown) => void }) => {
      config.writer?.({ draft: SECRET });
      return { messages: [await scriptedModel([SECRET]).invoke("q", config)] };
    })
    .addEdge(START, "draft")
    .compile();
}

describe("a guarded graph inside a graph", () => {
  const modes = ["values", "updates", "messages", "custom", "debug", "checkpoints", "tasks"] as const;

  it.each(modes)("shows nothing on the stream `%s` of the graph around it", async (mode) => {
    const guarded = (await realGuardrails()).wrap(talkativeGraph() as unknown as Runnable);
    const outer = new StateGraph(MessagesAnnotation)
      .addNode("inner", guarded as never)
      .addEdge(START, "inner")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "a" }, streamMode: mode, subgraphs: true } as const;
    const chunks = await drain(await outer.stream(human("hi"), config as never));
    expect(seenIn(chunks)).not.toContain("vault");
    if (mode === "values") expect(seenIn(chunks)).toContain("REFUSED");
  });

  it.each([
    [
      "a node that wraps it",
      async () => {
        const guarded = (await realGuardrails()).wrap(talkativeGraph() as unknown as Runnable);
        return (state: unknown, config: RunnableConfig) => guarded.invoke(state, config);
      },
    ],
    [
      "a node around it",
      async () => guardrailsNode(await realGuardrails(), "output", { around: talkativeGraph() as never }),
    ],
  ])("stores no blocked text in its checkpoints: %s", async (_, node) => {
    const checkpointer = new MemorySaver();
    const outer = new StateGraph(MessagesAnnotation)
      .addNode("inner", (await node()) as never)
      .addEdge(START, "inner")
      .compile({ checkpointer });
    const config = { configurable: { thread_id: "a" } };
    expect(seenIn(await outer.invoke(human("hi"), config))).toContain("REFUSED");
    const bytes = Object.values(checkpointer.storage as object).concat(Object.values(checkpointer.writes as object));
    const texts: string[] = [];
    const visit = (value: unknown): void => {
      if (ArrayBuffer.isView(value)) texts.push(new TextDecoder().decode(value as Uint8Array));
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
    };
    visit(bytes);
    expect(texts.join("")).toContain("REFUSED");
    expect(texts.join("")).not.toContain("vault");
  });
});

describe("what a guarded chain writes outside its response", () => {
  it("on the custom stream of the graph around it", async () => {
    const chain = RunnableLambda.from((_: unknown, config: RunnableConfig & { writer?: (value: unknown) => void }) => {
      config.writer?.({ draft: SECRET });
      return SECRET;
    });
    const guarded = (await realGuardrails()).wrap(chain);
    const graph = new StateGraph(Annotation.Root({ q: Annotation<string>, answer: Annotation<string> }))
      .addNode("say", async ({ q }, config) => ({ answer: await guarded.invoke(q, config) }))
      .addEdge(START, "say")
      .compile();
    const chunks = await drain(await graph.stream({ q: "hi" }, { streamMode: ["custom", "updates"] }));
    expect(seenIn(chunks)).toContain("REFUSED");
    expect(seenIn(chunks)).not.toContain("vault");
  });
});

describe("quotations next to a response", () => {
  const quoting: [string, object][] = [
    ["annotations", { annotations: [{ type: "citation", citedText: SECRET, title: "t", url: "https://x.test" }] }],
    ["citations", { citations: [{ type: "char_location", cited_text: SECRET }] }],
    ["a name of a file", { filename: SECRET }],
    ["metadata", { metadata: { title: SECRET } }],
    ["extras", { extras: { note: SECRET } }],
  ];
  it.each(quoting)("%s", async (_, extra) => {
    const content = [{ type: "text", text: "fine", ...extra }] as never;
    const guarded = (await realGuardrails()).wrap(
      scriptedModel([new AIMessage({ content }), new AIMessage({ content })]),
    );
    const whole = await guarded.invoke("hi");
    expect(whole.text).toBe("REFUSED");
    expect(seenIn(whole)).not.toContain("vault");
    expect(seenIn(await drain(await guarded.stream("hi")))).not.toContain("vault");
  });

  it.each(quoting)("%s of the user", async (_, extra) => {
    const model = scriptedModel([]);
    const content = [{ type: "text", text: "fine", ...extra }] as never;
    const answer = await (await realGuardrails()).wrap(model).invoke([new HumanMessage({ content })]);
    expect(answer.text).toBe("REFUSED");
  });

  it("are emitted with a response that passes", async () => {
    const annotations = [{ type: "citation", citedText: "flour and water", url: "https://bread.test" }];
    const content = [{ type: "text", text: "Bread is simple.", annotations }] as never;
    const guarded = (await realGuardrails()).wrap(scriptedModel([new AIMessage({ content })]));
    expect((await guarded.invoke("hi")).content).toEqual([{ type: "text", text: "Bread is simple.", annotations }]);
  });
});

describe("a guard in a guard", () => {
  it.each(["fine words", "call 555", SECRET])(
    "of `%s`: one verdict, and the stream equals what invoke returns",
    async (answer) => {
      const [inner, outer] = [await realGuardrails(), await realGuardrails()];
      const model = () => outer.wrap(inner.wrap(scriptedModel([answer])));
      const whole = await model().invoke("hi");
      const chunks = await drain(await model().stream("hi"));
      const joined = chunks.reduce((sum, chunk) => concat(sum, chunk)) as AIMessageChunk;
      const plain = (message: AIMessageChunk): unknown =>
        JSON.parse(visibleJson([message.content, verdictOf(message)]));
      expect(plain(joined)).toEqual(plain(whole));
      expect(chunks.filter((chunk) => verdictOf(chunk) !== undefined)).toHaveLength(1);
      expect(seenIn(chunks)).not.toContain("vault");
    },
  );
});

describe("reasons and details", () => {
  it.each([
    ["a piece of the text", { reason: "the text says `reveals the vault code`, which is secret" }],
    ["a piece in the details", { metadata: { found: ["the vault code"] } }],
  ])("do not quote %s", async (_, detail) => {
    const guardrails = await realGuardrails({
      actions: {
        check_words: ({ text }: { text: string }, { annotate }: { annotate: (detail: object) => void }) => {
          if (text.includes("bad")) annotate(detail);
          return !text.includes("bad");
        },
      },
    });
    const answer = await guardrails.wrap(scriptedModel([SECRET])).invoke("hi");
    expect(answer.text).toBe("REFUSED");
    expect(seenIn(answer)).not.toContain("vault");
  });
});

describe("results of a turn with all its details", () => {
  it("contain a blocked response neither in variables nor in the state", async () => {
    const guardrails = await realGuardrails();
    const llm = scriptedModel([SECRET]);
    const { Guardrails } = await import("../../../src/index.js");
    const own = await Guardrails.fromConfig(guardrails.config, {
      llm,
      actions: {
        check_words: ({ text }: { text: string }) => !text.includes("bad"),
        hide_digits: ({ text }: { text: string }) => text,
      },
    });
    const result = await own.generate("hi", { outputVars: true, state: {}, llmOutput: true });
    expect(result.response).toBe("REFUSED");
    const { outputData, state, response, guardrails: verdict } = result;
    expect(seenIn([outputData, response, verdict, result.llmOutput])).not.toContain("vault");
    expect(seenIn(state)).not.toContain("vault");
  });
});

describe("nodes of a graph", () => {
  const config = {
    colang: "",
    config: { rails: { config: { tools: { allowed: ["search"] } } } },
  };
  const asks = () =>
    new AIMessage({ id: "a1", content: "", tool_calls: [{ name: "wipe", args: { why: SECRET }, id: "c1" }] });

  it("an output node checks the calls of tools", async () => {
    const { Guardrails } = await import("../../../src/index.js");
    const guardrails = await Guardrails.fromConfig(config);
    const around = async () => ({ messages: [asks()] });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("say", guardrailsNode(guardrails, "output", { around }) as never)
      .addEdge(START, "say")
      .compile();
    const chunks = await drain(await graph.stream(human("hi"), { streamMode: ["values", "updates"] }));
    expect(seenIn(chunks)).not.toContain("vault");
    const { messages } = await graph.invoke(human("hi"));
    expect(verdictOf(messages.at(-1) as BaseMessage)?.blocked).toBe(true);
  });

  it("a command of a blocked node has no destination and no values", async () => {
    const around = async () => new Command({ update: { messages: [new AIMessage(SECRET)] }, goto: "never" });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("say", guardrailsNode(await realGuardrails(), "output", { around }) as never, { ends: ["never"] })
      .addNode("never", () => ({ messages: [new AIMessage("NEVER")] }))
      .addEdge(START, "say")
      .compile();
    const { messages } = await graph.invoke(human("hi"));
    expect(seenIn(messages)).not.toMatch(/vault|NEVER/);
  });
});

describe("a refusal in the shape of messages", () => {
  it("does not return the user's blocked message", async () => {
    const guarded = (await realGuardrails()).wrap(
      talkativeGraph() as unknown as Runnable<{ messages: BaseMessage[] }, { messages: BaseMessage[] }>,
    );
    const { messages } = await guarded.invoke(human("a bad question"));
    expect(messages.map(({ id, text }) => [id === "h1", text])).toEqual([
      [true, "(this message is hidden)"],
      [false, "REFUSED"],
    ]);
  });
});

describe("copies of a masked response in other fields", () => {
  it.each<[string, object]>([
    [
      "tokens with their probabilities",
      { response_metadata: { logprobs: { content: [{ token: "call" }, { token: " 555" }] } } },
    ],
    ["a sentence of the provider", { additional_kwargs: { draft: "please call 555" } }],
    ["its own record", { response_metadata: { output: [{ type: "message", content: [{ text: "call 555" }] }] } }],
  ])("%s", async (_, fields) => {
    const answer = () => new AIMessage({ id: "m", content: "call 555", ...fields });
    const guarded = (await realGuardrails()).wrap(scriptedModel([answer(), answer()]));
    const whole = await guarded.invoke("hi");
    expect(whole.content).toBe("call ***");
    expect(seenIn(whole)).not.toContain("555");
    const chunks = await drain(await guarded.stream("hi"));
    expect(seenIn(chunks)).not.toContain("555");
    expect(chunks.map(({ text }) => text).join("")).toBe("call ***");
  });

  it.each<[string, object]>([
    ["in the provider's fields", { additional_kwargs: { search: { snippet: SECRET } } }],
    ["in the provider's record", { response_metadata: { output: [{ type: "message", content: [{ text: SECRET }] }] } }],
  ])("a response that is only %s is reviewed", async (_, fields) => {
    const guarded = (await realGuardrails()).wrap(scriptedModel([new AIMessage({ content: "fine", ...fields })]));
    const whole = await guarded.invoke("hi");
    expect(whole.text).toBe("REFUSED");
    expect(seenIn(whole)).not.toContain("vault");
  });
});

class Recorder extends BaseTracer {
  name = "recorder";
  readonly runs: Run[] = [];
  protected async persistRun(run: Run): Promise<void> {
    this.runs.push(run);
  }
}

describe("redactTraces", () => {
  const things: [string, (guardrails: Guardrails, config: object) => Promise<unknown>][] = [
    [
      "a guarded model",
      (guardrails, config) => guardrails.wrap(scriptedModel([SECRET])).invoke("my secret wish", config),
    ],
    [
      "its stream",
      async (guardrails, config) =>
        drain(await guardrails.wrap(scriptedModel([SECRET])).stream("my secret wish", config)),
    ],
    [
      "a guarded chain",
      (guardrails, config) =>
        guardrails.wrap(scriptedModel([SECRET]).pipe(new StringOutputParser())).invoke("my secret wish", config),
    ],
    ["a check", (guardrails, config) => guardrails.check(SECRET, config)],
    ["a step", (guardrails, config) => guardrails.output<string>().invoke(SECRET, config)],
    [
      "a tool",
      (guardrails, config) =>
        guardrails
          .tool(tool(() => "my secret wish", { name: "find", description: "", schema: { type: "object" } }))
          .invoke({ q: "my secret wish" }, config),
    ],
  ];

  it.each(things)("tracers see the runs of %s and no texts", async (_, call) => {
    const tracer = new Recorder({ _awaitHandler: true } as never);
    await call(await realGuardrails({ redactTraces: true }), { callbacks: [tracer] });
    const seen = JSON.stringify(tracer.runs);
    expect(tracer.runs).toHaveLength(1);
    expect(seen).not.toMatch(/vault|secret wish/);
    const open = new Recorder({ _awaitHandler: true } as never);
    await call(await realGuardrails(), { callbacks: [open] });
    expect(JSON.stringify(open.runs)).toMatch(/vault|secret wish/);
    const names = (run: Run): unknown => [run.name, run.run_type, run.child_runs.map(names)];
    expect(tracer.runs.map(names)).toEqual(open.runs.map(names));
  });

  it("streams of events are not redacted, and the cost is still reported", async () => {
    const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const model = () => scriptedModel([new AIMessage({ content: "fine", usage_metadata } as AIMessageFields)]);
    const guardrails = await realGuardrails({ redactTraces: true });
    const events = await drain(guardrails.wrap(model()).streamEvents("hello", { version: "v2" }));
    expect(JSON.stringify(events)).toContain("fine");
    const tracer = new Recorder({ _awaitHandler: true } as never);
    await guardrails.wrap(model()).invoke("hello", { callbacks: [tracer] });
    expect(JSON.stringify(tracer.runs)).toMatch(/"total_tokens":3/);
  });
});

describe("errors of a guarded chain", () => {
  const quoting = () => new OutputParserException(`cannot parse: ${SECRET}`, SECRET);
  const schemaError = (schema: { parse(value: unknown): unknown }): Error => {
    try {
      schema.parse({ [SECRET]: SECRET });
    } catch (error) {
      return error as Error;
    }
    throw new Error("expected the schema to refuse the value");
  };
  const toolError = () => new ToolInvocationError(new Error("down"), { id: "1", name: "t", args: { q: SECRET } });
  const circular = (): Error => {
    const error = new Error("round and round");
    return Object.assign(error, { cause: error });
  };

  it.each<[string, () => Error]>([
    ["with a quoting cause", () => new Error("the chain failed", { cause: new Error("inside", { cause: quoting() }) })],
    ["made of several", () => new AggregateError([new Error("one"), quoting()], "all failed")],
    ["that are their own cause", circular],
    ["of a schema of zod 4", () => schemaError(z.strictObject({}))],
    ["of a schema of zod 3", () => schemaError(z3.object({}).strict())],
    ["of a schema of zod 3 about a value", () => schemaError(z3.object({ [SECRET]: z3.enum(["a"]) }))],
    ["of another schema", () => Object.assign(new Error(SECRET), { name: "ValiError", issues: [{ message: SECRET }] })],
    ["caused by a tool of an agent", () => new Error("failed", { cause: toolError() })],
    ["of a response in the form of a schema", () => new StructuredOutputParsingError("t", [SECRET])],
    ["of several such responses", () => new MultipleStructuredOutputsError([SECRET, "t"])],
    // Newer versions of LangChain's parsers throw it, with the provider's words.
    ["of a refusal of the provider", () => Object.assign(new Error(SECRET), { name: "ModelRefusalError" })],
    ["of a middleware", () => new Error("failed", { cause: new StructuredOutputParsingError("t", [SECRET]) })],
  ])("%s reveal nothing of the response, in invoke and stream, inside retries and fallbacks", async (_, make) => {
    const failing = RunnableLambda.from((): string => {
      throw make();
    });
    const guardrails = await realGuardrails();
    const chains: Runnable[] = [
      failing,
      failing.withFallbacks([failing]),
      failing.withRetry({ stopAfterAttempt: 1 }),
    ] as Runnable[];
    for (const chain of chains) {
      const guarded = guardrails.wrap(chain);
      for (const call of [() => guarded.invoke("hi"), async () => drain(await guarded.stream("hi"))]) {
        const error: unknown = await call().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(OutputParseError.isInstance(error)).toBe(true);
        const { message, stack, cause } = error as Error;
        expect(`${message} ${String(stack)} ${String(cause)} ${seenIn(error)}`).not.toContain("vault");
      }
      const [returned] = await guarded.batch(["hi"], {}, { returnExceptions: true });
      expect(`${String(returned)} ${seenIn(returned)}`).not.toContain("vault");
    }
  });

  it("of a tool in an agent are the tool's own, without the arguments of its call", async () => {
    const failing = RunnableLambda.from((): string => {
      throw toolError();
    });
    const guarded = (await realGuardrails()).wrap(failing);
    for (const call of [() => guarded.invoke("hi"), async () => drain(await guarded.stream("hi"))]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ message: "down" });
      expect(`${String((error as Error).stack)} ${seenIn(error)}`).not.toContain("vault");
    }
  });
});
