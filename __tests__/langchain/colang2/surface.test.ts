import { type AIMessage, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableLambda } from "@langchain/core/runnables";
import { describe, expect, it } from "@jest/globals";
import { GuardrailViolationError, verdictOf } from "../../../src/index.js";
import { MemoryThreadStore } from "../../../src/langchain/threads.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { guardrails2 } from "./guardrails-2x.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

const MAIN = `
flow main
  activate greeting
  activate echo

flow greeting
  user said "hello"
  bot say "Hi, 24 hours a day."

flow echo
  user said something unexpected as $heard
  bot say "You said {$heard.transcript}"
`;

describe("rails alone: the guarded value responds", () => {
  it.each([
    ["passes", "hi", "fine", "fine", "hi"],
    ["rewrites both sides", "my 12", "take 34", "take **", "my **"],
    ["blocks the answer", "hi", "this is bad", "REFUSED", "hi"],
  ])("wrap(model) %s", async (_, text, reply, expected, asked) => {
    const model = scriptedModel([reply]);
    const guarded = (await guardrails2()).wrap(model);
    const answer = await guarded.invoke(text);
    expect([answer.content, model.calls.length]).toEqual([expected, 1]);
    expect(model.calls[0]?.messages.at(-1)?.content).toBe(asked);
    expect(visibleJson(answer)).not.toContain("bad");
  });

  it("blocks the user's text before the model is called", async () => {
    const model = scriptedModel([]);
    const answer = await (await guardrails2()).wrap(model).invoke("a bad word");
    expect(answer.content).toBe("REFUSED");
    expect(verdictOf(answer)).toMatchObject({
      blocked: true,
      stage: "input",
      rail: "check words",
      decisions: [{ status: "blocked", refusal: "REFUSED" }],
    });
    expect(JSON.stringify(answer)).not.toContain("a bad word");
    expect(model.calls).toHaveLength(0);
  });

  it("wrap(chain) keeps its shape", async () => {
    const chain = RunnableLambda.from(async ({ question }: { question: string }) => ({
      answer: `about ${question}: 5`,
      context: ["evidence"],
    }));
    const guarded = (await guardrails2()).wrap(chain, { inputKey: "question", outputKey: "answer" });
    expect(await guarded.invoke({ question: "fares 7" })).toEqual({
      answer: "about fares *: *",
      context: ["evidence"],
    });
    expect(await guarded.invoke({ question: "bad fares" })).toMatchObject({ answer: "REFUSED" });
  });

  it("works in pipes", async () => {
    const guardrails = await guardrails2();
    const prompt = ChatPromptTemplate.fromMessages<{ q: string }>([["human", "{q}"]]);
    const chain = prompt
      .pipe(scriptedModel(["call 555", "bad 555"]))
      .pipe(new StringOutputParser())
      .pipe(guardrails);
    expect(await chain.invoke({ q: "number?" })).toBe("call ***");
    expect(await chain.invoke({ q: "number?" })).toBe("REFUSED");
  });

  it("moderates with steps", async () => {
    const guardrails = await guardrails2();
    const { input, output } = { input: guardrails.input<string>(), output: guardrails.output<string>() };
    expect(await input.invoke("room 101")).toBe("room ***");
    const error: unknown = await input.invoke("so bad").catch((cause: unknown) => cause);
    expect(GuardrailViolationError.isInstance(error)).toBe(true);
    expect(await output.invoke("room 101")).toBe("room ***");
    expect(await output.invoke("so bad")).toBe("REFUSED");
  });

  it("checks with one rail", async () => {
    const guardrails = await guardrails2();
    expect(await guardrails.rail("check words").invoke("so bad")).toMatchObject({
      status: "blocked",
      stage: "input",
      refusal: "REFUSED",
    });
    expect(await guardrails.rail("hide digits of answer").invoke({ bot: "1" })).toMatchObject({ status: "modified" });
    await expect(guardrails.rail("check wrods").invoke("x")).rejects.toThrow(/`check wrods` is not defined/);
  });

  it("checks without responding", async () => {
    const guardrails = await guardrails2();
    const check = (text: string) => guardrails.check(text, { stage: "input" });
    expect(await check("fine 1")).toMatchObject({ status: "modified", output: "fine *" });
    expect(await check("bad")).toMatchObject({ status: "blocked", output: "REFUSED" });
  });

  it("responds with the main model of the configuration", async () => {
    const llm = scriptedModel(["It is 9 o'clock."]);
    const guardrails = await guardrails2({ llm });
    const answer = (await guardrails.invoke([new HumanMessage("what time is it")])) as AIMessage;
    expect(answer.content).toBe("It is * o'clock.");
  });

  it("streams window by window if rails only judge", async () => {
    const checked: string[] = [];
    const guardrails = await guardrails2({
      output: ["judge answer"],
      input: [],
      streaming: { chunkSize: 2, contextSize: 0 },
      onCheck: (text) => checked.push(text),
    });
    const model = scriptedModel(["one two 3 four five "]);
    const chunks: unknown[] = [];
    for await (const chunk of await guardrails.wrap(model).stream("go")) chunks.push(chunk.content);
    expect(chunks.join("")).toBe("one two 3 four five ");
    expect(checked).toEqual(["one two ", "3 four f", "ive "]);
  });

  it("releases nothing of a blocked window", async () => {
    const guardrails = await guardrails2({
      output: ["judge answer"],
      input: [],
      streaming: { chunkSize: 2, contextSize: 1 },
    });
    const model = scriptedModel(["abc def ghi bad end"]);
    const chunks: unknown[] = [];
    for await (const chunk of await guardrails.wrap(model).stream("go")) chunks.push(chunk.content);
    expect(chunks.join("")).toBe("abc def REFUSED");
  });

  it("buffers a stream if a rail rewrites", async () => {
    const guardrails = await guardrails2({ input: [] });
    const model = scriptedModel(["dial 1234 now"]);
    const chunks: string[] = [];
    for await (const chunk of await guardrails.wrap(model).stream("go")) chunks.push(String(chunk.content));
    expect(chunks.filter((text) => text !== "")).toEqual(["dial **** now"]);
  });
});

describe("a dialog", () => {
  it("responds through its flows, and output rails review their utterances", async () => {
    const guardrails = await guardrails2({ colang: MAIN });
    const say = async (text: string) => (await guardrails.generate(text)).response;
    expect(await say("hello")).toBe("Hi, ** hours a day.");
    expect(await say("I am 7")).toBe("You said I am *");
    expect(await say("bad luck")).toBe("REFUSED");
  });

  it("continues in a thread, in another process too", async () => {
    const colang = `
flow main
  user said "order"
  bot say "How many?"
  user said something as $count
  bot say "Noted: {$count.transcript} pieces"
  match Never()
`;
    const threads = new MemoryThreadStore();
    const config = { configurable: { thread_id: "t" } };
    const first = await guardrails2({ colang, threads, input: ["check words"], output: [] });
    const ask = async (guardrails: typeof first, text: string) =>
      ((await guardrails.invoke([new HumanMessage(text)], config)) as AIMessage).content;
    expect(await ask(first, "order")).toBe("How many?");
    const stored: unknown = threads.get("t");
    expect(JSON.parse(JSON.stringify(stored))).toEqual(stored);
    const second = await guardrails2({ colang, threads, input: ["check words"], output: [] });
    expect(await ask(second, "a bad number")).toBe("REFUSED");
    expect(JSON.stringify(threads.get("t"))).not.toContain("bad number");
    expect(await ask(second, "seven")).toBe("Noted: seven pieces");
  });

  it("restarts changed flows with a warning", async () => {
    const flow = (answer: string) => `flow main\n  user said "a"\n  bot say "${answer}"\n  match Never()\n`;
    const first = await guardrails2({ colang: flow("one") });
    const { state } = await first.generate("a", { state: {} });
    const second = await guardrails2({ colang: flow("two") });
    const result = await second.generate("a", { state });
    expect([result.response, result.log.warnings.map(({ code }) => code)]).toEqual(["two", ["CO-502"]]);
    await expect(second.generate("a", { state: { version: 1, engine: 3 } })).rejects.toThrow(
      /start a new conversation/,
    );
  });

  it("treats earlier messages as history and not as new utterances", async () => {
    const guardrails = await guardrails2({ colang: MAIN });
    const { response, explain } = await guardrails.generate([
      { role: "user", content: "hello" },
      { role: "assistant", content: "Good evening" },
      { role: "user", content: "fine" },
    ]);
    expect(response).toEqual([{ role: "assistant", content: "You said fine" }]);
    expect(explain.colangHistory).toContain("Good evening");
  });

  it("runs one flow", async () => {
    const guardrails = await guardrails2({ colang: MAIN });
    expect(await guardrails.flow("greeting").invoke("hello")).toMatchObject({
      messages: [{ role: "assistant", content: "Hi, ** hours a day." }],
      status: "finished",
    });
    expect(await guardrails.flow("greeting").invoke("other")).toMatchObject({ messages: [], status: "waiting" });
    await expect(guardrails.flow("greting").invoke("x")).rejects.toThrow(/unknown flow `greting`/);
  });
});
