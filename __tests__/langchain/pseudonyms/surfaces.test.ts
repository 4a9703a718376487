import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { RunnableLambda } from "@langchain/core/runnables";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod/v4";
import { Guardrails, verdictOf } from "../../../src/index.js";
import { defineRail } from "../../../src/langchain/rails.js";
import { ReplyingModel } from "../../support/langchain/replying-model.js";

const VERSIONS = ["1.0", "2.x"] as const;
type Version = (typeof VERSIONS)[number];

const ADA = "ada@example.org";
const BOB = "bob@example.net";
const FLOWS = {
  input: { flows: ["pseudonymise sensitive data on input"] },
  retrieval: { flows: ["pseudonymise sensitive data on retrieval"] },
  tool_input: { flows: ["pseudonymise sensitive data on tool input"] },
};
const EMAILS = { entities: ["EMAIL_ADDRESS"] };
const SETTINGS = { sensitive_data_detection: { input: EMAILS, retrieval: EMAILS, tool_input: EMAILS, output: EMAILS } };

function open(version: Version, rails: object = {}, more: object = {}): Promise<Guardrails> {
  const colang = version === "2.x" ? { colang: "import core\n" } : {};
  const config = { colang_version: version, rails: { ...FLOWS, config: SETTINGS, ...rails } };
  return Guardrails.fromConfig({ ...colang, config }, { logger: false, ...more });
}

/** Repeats the last text of the conversation. */
const echo = (texts: readonly string[]): readonly string[] => [`You said: ${texts.at(-1) ?? ""}`];

async function collect<Chunk>(chunks: AsyncIterable<Chunk> | Promise<AsyncIterable<Chunk>>): Promise<readonly Chunk[]> {
  const all: Chunk[] = [];
  for await (const chunk of await chunks) all.push(chunk);
  return all;
}

describe.each(VERSIONS)("pseudonyms in Colang %s", (version) => {
  it("replace values for the model and are restored by a wrapped model", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel(echo);
    const answer = await guardrails.wrap(model).invoke(`mail ${ADA}, then ${BOB}, then ${ADA}`);
    expect(answer.text).toBe(`You said: mail ${ADA}, then ${BOB}, then ${ADA}`);
    expect(model.seen.join()).toContain("mail <EMAIL_1>, then <EMAIL_2>, then <EMAIL_1>");
    expect(model.seen.join()).not.toMatch(/ada@|bob@/);
  });

  it("are restored in streams of a wrapped model, for any chunks", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel(() => ["I wrote to <", "EM", "AIL_", "1", ">, not <EMAIL_9> <EMA"]);
    const chunks = await collect(guardrails.wrap(model).stream(`mail ${ADA}`));
    expect(chunks.map(({ text }) => text).join("")).toBe(`I wrote to ${ADA}, not <EMAIL_9> <EMA`);
  });

  it.each(["messages", "v2", "v3", "no version"])(
    "are restored in the streams around a wrapped model: %s",
    async (way) => {
      const wrapped = (await open(version)).wrap(
        new ReplyingModel(() => ["I wrote to <", "EM", "AIL_", "1", ">, not <EMAIL_9>"]),
      );
      const node = async ({ messages }: typeof MessagesAnnotation.State) => ({
        messages: [await wrapped.invoke(messages)],
      });
      const graph = new StateGraph(MessagesAnnotation).addNode("model", node).addEdge(START, "model").compile();
      const input = { messages: [new HumanMessage(`mail ${ADA}`)] };
      const traced: string[] = [];
      const note = (value: unknown): void => void traced.push(JSON.stringify(value));
      const callbacks = [{ handleLLMNewToken: note, handleChatModelStreamEvent: note, handleLLMEnd: note }];
      const streams: Readonly<Record<string, () => unknown>> = {
        messages: () => graph.stream(input, { streamMode: "messages", callbacks } as never),
        v2: () => graph.streamEvents(input, { version: "v2", callbacks } as never),
        v3: () => graph.streamEvents(input, { version: "v3", callbacks } as never),
      };
      // A stream of events of a model is also a promise of its message.
      const begin = streams[way];
      const seen: unknown[] = [];
      if (begin === undefined) for await (const event of wrapped.streamEvents(`mail ${ADA}`)) seen.push(event);
      else seen.push(...(await collect((await begin()) as AsyncIterable<unknown>)));
      const texts = JSON.stringify(seen).match(/(?<="(?:text|content)":")[^"]*/g) ?? [];
      expect(texts.join("")).toContain(`I wrote to ${ADA}, not <EMAIL_9>`);
      expect(texts.join("")).not.toContain("EMAIL_1");
      expect(traced.join()).not.toContain("ada@");
    },
  );

  it("do not change what looks like a pseudonym in a user's text", async () => {
    const guardrails = await open(version);
    const answer = await guardrails.wrap(new ReplyingModel(echo)).invoke(`<EMAIL_1> is not ${ADA}`);
    expect(answer.text).toBe(`You said: <EMAIL_1> is not ${ADA}`);
  });

  it("are restored in content blocks and arguments of tool calls", async () => {
    const guardrails = await open(version);
    const calls = [{ name: "send", args: { to: ["<EMAIL_1>"], "<EMAIL_1>": 1 }, id: "c1", type: "tool_call" as const }];
    const model = new ReplyingModel(() => [
      new AIMessageChunk({ content: [{ type: "text", text: "to <EMAIL_1>" }], tool_calls: calls }),
    ]);
    const answer = await guardrails.wrap(model).invoke(`mail ${ADA}`);
    expect(answer.text).toBe(`to ${ADA}`);
    expect(answer.tool_calls?.[0]?.args).toEqual({ to: [ADA], "<EMAIL_1>": 1 });
  });

  it("are restored in chunks of tool calls", async () => {
    const guardrails = await open(version);
    const piece = (args: string) =>
      new AIMessageChunk({ content: "", tool_call_chunks: [{ index: 0, id: "c1", name: "send", args }] });
    const rest = (args: string) => new AIMessageChunk({ content: "", tool_call_chunks: [{ index: 0, args }] });
    const model = new ReplyingModel(() => [piece('{"to": "<EMA'), rest('IL_1>", "a": "<'), rest('b"}')]);
    const chunks = await collect(guardrails.wrap(model).stream(`mail ${ADA}`));
    const whole = chunks.reduce((sum, chunk) => sum.concat(chunk));
    expect(whole.tool_calls?.[0]?.args).toEqual({ to: ADA, a: "<b" });
  });

  it("hide restored values of earlier messages from the model", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel(echo);
    const call = { name: "send", args: { to: ADA }, id: "c1", type: "tool_call" as const };
    const answer = await guardrails
      .wrap(model)
      .invoke([
        new HumanMessage(`mail ${ADA}`),
        new AIMessage(`Written to ${ADA} and ${BOB}.`),
        new HumanMessage(`again to ${ADA}`),
        new AIMessage({ content: "", tool_calls: [call] }),
        new ToolMessage({ content: `sent to ${ADA}`, tool_call_id: "c1", name: "send" }),
      ]);
    expect(answer.text).toBe(`You said: sent to ${ADA}`);
    expect(model.seen.join()).not.toMatch(/ada@|bob@/);
  });

  it("are restored by a wrapped chain and its stream", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel(([text = ""]) => [`You said: ${text.slice(0, 8)}`, text.slice(8)]);
    const chain = guardrails.wrap(
      RunnableLambda.from((text: string) => [new HumanMessage(text)])
        .pipe(model)
        .pipe(new StringOutputParser()),
    );
    expect(await chain.invoke(`mail ${ADA}`)).toBe(`You said: mail ${ADA}`);
    expect((await collect(chain.stream(`mail ${ADA}`))).join("")).toBe(`You said: mail ${ADA}`);
    expect(model.seen.join()).not.toMatch(/ada@/);
  });

  it("are restored in objects of a chain", async () => {
    const guardrails = await open(version);
    const inner = RunnableLambda.from(({ question }: { question: string }) => ({ answer: question, n: 1 }));
    const chain = guardrails.wrap(inner, { inputKey: "question", outputKey: "answer" });
    expect(await chain.invoke({ question: `mail ${ADA}` })).toMatchObject({ answer: `mail ${ADA}`, n: 1 });
  });

  it.each([
    ["in pieces", ["to <", "EM", "AIL_1> now"], `to ${ADA} now`],
    ["at the end", ["to <EMAIL_", "1>"], `to ${ADA}`],
    ["with an open sign at the end", ["to <EMAIL_1> <EMA"], `to ${ADA} <EMA`],
    ["next to other keys", ["to <EMAIL", "", "_1>"], `to ${ADA}`],
  ])("are restored in streamed objects of a chain, %s", async (_where, pieces, expected) => {
    const guardrails = await open(version);
    const seen: string[] = [];
    const inner = RunnableLambda.from(async function* ({ question }: { question: string }) {
      seen.push(question);
      for (const piece of pieces) yield piece === "" ? { n: 1 } : { answer: piece };
    } as never);
    const chain = guardrails.wrap(inner as never, { inputKey: "question", outputKey: "answer" });
    const chunks = (await collect(chain.stream({ question: `mail ${ADA}` } as never))) as readonly {
      answer?: string;
    }[];
    expect(chunks.map(({ answer = "" }) => answer).join("")).toBe(expected);
    expect(seen).toEqual(["mail <EMAIL_1>"]);
  });

  it("are restored in streamed content blocks, each in its own", async () => {
    const guardrails = await open(version);
    const block = (text: string, index: number) => new AIMessageChunk({ content: [{ type: "text", text, index }] });
    const model = new ReplyingModel(() => [block("to <EM", 0), block("AIL_1>", 0), block("<EMAIL_1> <EMA", 1)]);
    const chunks = await collect(guardrails.wrap(model).stream(`mail ${ADA}`));
    const whole = chunks.reduce((sum, chunk) => sum.concat(chunk));
    const { content } = whole as unknown as { content: readonly { text: string; index: number }[] };
    expect(content.map(({ text, index }) => [index, text])).toEqual([
      [0, `to ${ADA}`],
      [1, `${ADA} <EMA`],
    ]);
  });

  it("leave nothing open behind a refusal that replaces the text", async () => {
    const check = {
      name: "check words",
      stage: "output" as const,
      check: (text: string) => text.includes("forbidden"),
    };
    const library = [defineRail({ name: "words", flows: [check] })];
    const streaming = { chunk_size: 1, context_size: 0, parallel_windows: 1 };
    const guardrails = await open(version, { output: { flows: ["check words"], streaming } }, { library });
    const model = new ReplyingModel(() => ["to <EMAIL_1> ", "or <EMA", "forbidden"]);
    const chunks = await collect(guardrails.wrap(model).stream(`mail ${ADA}`));
    const at = chunks.findIndex((chunk) => verdictOf(chunk)?.replaces === true);
    expect(
      chunks
        .slice(0, at)
        .map(({ text }) => text)
        .join(""),
    ).toBe(`to ${ADA} or `);
    expect(chunks.slice(at).map(({ text }) => text)).toEqual(["I'm sorry, I can't respond to that."]);
  });

  it("are restored in structured output", async () => {
    const guardrails = await open(version);
    const call = { name: "extract", args: { to: "<EMAIL_1>" }, id: "c1", type: "tool_call" as const };
    const model = new ReplyingModel(() => [new AIMessageChunk({ content: "", tool_calls: [call] })]);
    const structured = guardrails.wrap(model).withStructuredOutput(z.object({ to: z.string() }));
    expect(await structured.invoke(`mail ${ADA}`)).toEqual({ to: ADA });
    expect(model.seen.join()).not.toMatch(/ada@/);
  });

  it("pass masking rails on the output, which see no value", async () => {
    const guardrails = await open(version, { output: { flows: ["mask sensitive data on output"] } });
    const model = new ReplyingModel((texts) => [`${texts.at(-1) ?? ""} and ${BOB}`]);
    const answer = await guardrails.wrap(model).invoke(`mail ${ADA}`);
    expect(answer.text).toBe(`mail ${ADA} and <EMAIL_ADDRESS>`);
  });

  it("are kept with a thread, and never shared by two", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel((texts) => [texts.at(-1) === "which?" ? "<EMAIL_1>" : "noted"]);
    const wrapped = guardrails.wrap(model);
    const on = (thread_id: string) => ({ configurable: { thread_id } });
    await wrapped.invoke(`mail ${ADA}`, on("a"));
    await wrapped.invoke(`mail ${BOB}`, on("b"));
    await wrapped.invoke(`mail ${BOB}`, on("a"));
    expect((await wrapped.invoke("which?", on("a"))).text).toBe(ADA);
    expect((await wrapped.invoke("which?", on("b"))).text).toBe(BOB);
    expect((await wrapped.invoke("which?", on("c"))).text).toBe("<EMAIL_1>");
    expect(model.seen.join()).not.toMatch(/ada@|bob@/);
  });

  it("of results of tools are those of the thread", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel((texts) => [`${texts.at(-1) ?? ""}, not <EMAIL_1>`]);
    const wrapped = guardrails.wrap(model);
    const thread = { configurable: { thread_id: "results" } };
    await wrapped.invoke(`mail ${ADA}`, thread);
    const call = { name: "find", args: {}, id: "c1", type: "tool_call" as const };
    const result = new ToolMessage({ content: `it is ${BOB}`, tool_call_id: "c1", name: "find" });
    const messages = [new HumanMessage("whose?"), new AIMessage({ content: "", tool_calls: [call] }), result];
    expect((await wrapped.invoke(messages, thread)).text).toBe(`it is ${BOB}, not ${ADA}`);
    expect(model.seen.join()).toContain("it is <EMAIL_2>");
  });

  it("are restored by `generate` and kept in its state, but not in its log", async () => {
    const llm = new ReplyingModel((texts) => [texts.some((text) => text.includes("<EMAIL_1>")) ? "to <EMAIL_1>" : "?"]);
    const guardrails = await open(version, {}, { llm });
    if (version === "2.x") return;
    const { response, explain, log, state } = await guardrails.generate(`mail ${ADA}`, { state: {} });
    expect(response).toBe(`to ${ADA}`);
    expect(JSON.stringify({ explain, log })).not.toContain("ada@");
    const next = await guardrails.generate(`mail ${BOB} and <EMAIL_1>`, { state });
    expect(JSON.stringify(next.explain)).toContain("<EMAIL_2>");
    expect(llm.seen.join()).not.toMatch(/ada@|bob@/);
  });

  it("stay in the results of `check` and `input()`", async () => {
    const guardrails = await open(version);
    expect((await guardrails.check(`mail ${ADA}`, { stage: "input" })).output).toBe("mail <EMAIL_1>");
    expect(await guardrails.input<string>().invoke(`mail ${ADA}`)).toBe("mail <EMAIL_1>");
  });

  it("are all that callbacks see of a response", async () => {
    const guardrails = await open(version);
    const ends: string[] = [];
    const note = (...values: readonly unknown[]): void => void ends.push(JSON.stringify(values));
    const callbacks = [
      {
        handleLLMEnd: note,
        handleChainEnd: note,
        handleLLMNewToken: note,
        handleCustomEvent: note,
        handleToolStart: note,
      },
    ];
    const model = new ReplyingModel(echo);
    const wrapped = guardrails.wrap(model);
    expect((await wrapped.invoke(`mail ${ADA}`, { callbacks })).text).toContain(ADA);
    expect((await collect(wrapped.stream(`mail ${ADA}`, { callbacks }))).map(({ text }) => text).join("")).toContain(
      ADA,
    );
    const chain = guardrails.wrap(RunnableLambda.from((text: string) => text));
    expect(await chain.invoke(`mail ${ADA}`, { callbacks })).toBe(`mail ${ADA}`);
    expect(ends.length).toBeGreaterThan(3);
    expect(ends.join()).not.toContain("ada@");
  });

  it("are in no decision", async () => {
    const decisions: unknown[] = [];
    const guardrails = await open(version, {}, { onDecision: (decision: unknown) => void decisions.push(decision) });
    await guardrails.wrap(new ReplyingModel(echo)).invoke(`mail ${ADA}`);
    expect(decisions).not.toHaveLength(0);
    expect(JSON.stringify(decisions)).not.toContain("ada@");
  });
});
