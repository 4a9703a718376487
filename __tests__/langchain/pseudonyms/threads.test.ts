import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod/v4";
import { guardrailsNode } from "langchain-guardrails/langgraph";
import { MemoryThreadStore } from "langchain-guardrails/threads";
import { Guardrails } from "../../../src/index.js";
import { ReplyingModel } from "../../support/langchain/replying-model.js";

const ADA = "ada@example.org";
const BOB = "bob@example.net";
const EMAILS = { entities: ["EMAIL_ADDRESS"] };

function open(version: "1.0" | "2.x", more: object = {}): Promise<Guardrails> {
  const config = {
    colang_version: version,
    rails: {
      input: { flows: ["pseudonymise sensitive data on input"] },
      retrieval: { flows: ["pseudonymise sensitive data on retrieval"] },
      tool_input: { flows: ["pseudonymise sensitive data on tool input"] },
      config: { sensitive_data_detection: { input: EMAILS, retrieval: EMAILS, tool_input: EMAILS } },
    },
  };
  const colang = version === "2.x" ? { colang: "import core\n" } : {};
  return Guardrails.fromConfig({ ...colang, config }, { logger: false, ...more });
}

const on = (thread_id: string) => ({ configurable: { thread_id } });
const echo = (texts: readonly string[]): readonly string[] => (texts.at(-1) ?? "").split(/(?=[<_1])/);

/** A stored thread in the form of version 1. */
const stored = (conversation: unknown = null) => ({
  version: 1,
  state: {
    version: 1,
    pseudonyms: { entries: [{ label: "EMAIL", number: 1, value: ADA }] },
    conversation,
  },
});

/** Returns the stored form of a thread after two turns. */
async function storeTwoTurns(version: "1.0" | "2.x") {
  const threads = new MemoryThreadStore();
  const wrapped = (await open(version, { threads })).wrap(new ReplyingModel(echo));
  for (const value of [ADA, BOB]) await wrapped.invoke(`mail ${value}`, on("a"));
  return threads.get("a");
}

describe.each(["1.0", "2.x"] as const)("pseudonyms of a thread in Colang %s", (version) => {
  it("are restored by a step after the model", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel(echo);
    const chain = guardrails
      .input<string>()
      .pipe(ChatPromptTemplate.fromTemplate("{question}") as never)
      .pipe(model)
      .pipe(new StringOutputParser())
      .pipe(guardrails.output<string>());
    const asked = { question: `mail ${ADA} and ${BOB}` } as never;
    expect(await chain.invoke(asked, on("a"))).toBe(`mail ${ADA} and ${BOB}`);
    let streamed = "";
    for await (const chunk of await chain.stream(asked, on("a"))) streamed += chunk;
    expect(streamed).toBe(`mail ${ADA} and ${BOB}`);
    expect(await guardrails.output<string>().invoke("<EMAIL_1>", on("b"))).toBe("<EMAIL_1>");
    expect(await guardrails.output<string>().invoke("<EMAIL_1>")).toBe("<EMAIL_1>");
    expect(model.seen.join()).not.toMatch(/ada@|bob@/);
  });

  it("of retrieved documents are restored by a step after the model", async () => {
    const guardrails = await open(version);
    expect(await guardrails.retrieval<string[]>().invoke([`ask ${ADA}`], on("a"))).toEqual(["ask <EMAIL_1>"]);
    expect(await guardrails.output<string>().invoke("Ask <EMAIL_1>.", on("a"))).toBe(`Ask ${ADA}.`);
  });

  it("are restored by nodes of a graph, turn after turn", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel((texts) => [
      texts.at(-1) === "which?" ? "<EMAIL_1>, <EMAIL_2>" : (texts.at(-1) ?? ""),
    ]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("guard", guardrailsNode(guardrails, "input"))
      .addNode("ask", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("review", guardrailsNode(guardrails, "output"))
      .addEdge(START, "guard")
      .addEdge("guard", "ask")
      .addEdge("ask", "review")
      .addEdge("review", END)
      .compile({ checkpointer: new MemorySaver() });
    const ask = async (text: string) => {
      const { messages } = await graph.invoke({ messages: [new HumanMessage(text)] }, on("a"));
      return (messages as BaseMessage[]).at(-1)?.text;
    };
    expect(await ask(`mail ${ADA}`)).toBe(`mail ${ADA}`);
    expect(await ask(`<EMAIL_1> is not ${BOB}`)).toBe(`<EMAIL_1> is not ${BOB}`);
    expect(await ask("which?")).toBe(`${ADA}, ${BOB}`);
    expect(model.seen.join()).not.toMatch(/ada@|bob@/);
  });

  it("are restored by a node around a whole turn", async () => {
    const guardrails = await open(version);
    const model = new ReplyingModel(echo);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("turn", guardrailsNode(guardrails, "turn", { around: model }))
      .addEdge(START, "turn")
      .addEdge("turn", END)
      .compile();
    const { messages } = await graph.invoke({ messages: [new HumanMessage(`mail ${ADA}`)] });
    expect((messages as BaseMessage[]).map(({ text }) => text)).toEqual([`mail ${ADA}`, `mail ${ADA}`]);
    expect(model.seen.join()).not.toContain("ada@");
  });

  it("are restored before a tool runs, and hide what it returns", async () => {
    const guardrails = await open(version);
    const given: unknown[] = [];
    const send = tool(
      (args: { to: string }) => {
        given.push(args);
        return `sent to ${args.to}, copy to ${BOB}`;
      },
      { name: "send", description: "sends", schema: z.object({ to: z.string() }) },
    );
    await guardrails.input<string>().invoke(`mail ${ADA}`, on("a"));
    const guarded = guardrails.tool(send);
    expect(await guarded.invoke({ to: "<EMAIL_1>" }, on("a"))).toBe("sent to <EMAIL_1>, copy to <EMAIL_2>");
    expect(given).toEqual([{ to: ADA }]);
    expect(await guardrails.output<string>().invoke("<EMAIL_2>", on("a"))).toBe(BOB);
  });

  it("load from a store of this release, with a conversation and without", async () => {
    const threads = new MemoryThreadStore();
    threads.set("a", stored(), { expectedVersion: 0 } as never);
    const guardrails = await open(version, { threads });
    expect(await guardrails.output<string>().invoke("<EMAIL_1>", on("a"))).toBe(ADA);
    const answer = await guardrails.wrap(new ReplyingModel(echo)).invoke(`${BOB}, ${ADA}`, on("a"));
    expect(answer.text).toBe(`${BOB}, ${ADA}`);
    const { state } = threads.get("a") as { readonly state: object };
    expect(state).toMatchObject({ version: 1, pseudonyms: { entries: [{ number: 1, value: ADA }, { number: 2 }] } });
  });

  it("load from a store with a conversation of an earlier release", async () => {
    const file = new URL(`./fixtures/thread-${version}.json`, import.meta.url);
    const written = await storeTwoTurns(version);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
    const threads = new MemoryThreadStore();
    threads.set("a", JSON.parse(readFileSync(file, "utf8")) as never, { expectedVersion: 0 } as never);
    const guardrails = await open(version, { threads });
    const answer = await guardrails.wrap(new ReplyingModel(() => ["<EMAIL_1>, <EMAIL_2>"])).invoke("which?", on("a"));
    expect(answer.text).toBe(`${ADA}, ${BOB}`);
    // This release writes the same form.
    expect(Object.keys(written?.state as object)).toEqual(["version", "pseudonyms", "conversation"]);
  });

  it.each<[what: string, entries: unknown]>([
    ["entries that are no list", {}],
    ["a value that is not a string", [{ label: "EMAIL", number: 1, value: 1 }]],
    ["a label that is invalid", [{ label: "email<", number: 1, value: ADA }]],
    ["a number that is invalid", [{ label: "EMAIL", number: 0, value: ADA }]],
  ])("RL-402: %s", async (_, entries) => {
    const threads = new MemoryThreadStore();
    threads.set("a", { version: 1, state: { ...stored().state, pseudonyms: { entries } } }, {
      expectedVersion: 0,
    } as never);
    const guardrails = await open(version, { threads });
    const output = guardrails.output<string>().invoke("<EMAIL_1>", on("a"));
    await expect(output).rejects.toMatchObject({ code: "RL-402" });
    const input = guardrails.input<string>().invoke(`mail ${ADA}`, on("a"));
    await expect(input).rejects.toMatchObject({ code: "RL-402" });
  });

  it("RL-402: two calls give the same pseudonym to two values", async () => {
    const threads = new MemoryThreadStore();
    const guardrails = await open(version, { threads });
    const get = threads.get.bind(threads);
    const both = [ADA, BOB].map((value) => guardrails.input<string>().invoke(`mail ${value}`, on("a")));
    expect(await Promise.allSettled(both)).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { code: "RL-402" } },
    ]);
    expect(JSON.stringify(get("a"))).not.toContain(BOB);
  });
});
