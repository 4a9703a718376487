import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { createAgent } from "langchain";
import { Pool } from "pg";
import { z } from "zod/v4";
import { Guardrails } from "langchain-guardrails";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";
import { type DatabaseServer, describeWith } from "../../support/servers/database-server.js";
import { startPostgres } from "../../support/servers/postgres.js";

const RAILS = { input: ["check words"], output: ["check answer"], calls: ["check call"], results: ["check result"] };
const asks = (args: object, id: string): AIMessage =>
  new AIMessage({ content: "", tool_calls: [{ name: "look_up", args: args as never, id }] });

describeWith("LangGraph on PostgreSQL", true, () => {
  let server: DatabaseServer;
  let pool: Pool;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool({ connectionString: server.url, max: 1 });
    // The server may stop before the last connections of the pool are closed.
    pool.on("error", () => undefined);
  });
  afterAll(async () => {
    await Promise.all(closing.map((close) => close()));
    await untilAlone();
    await pool.end();
    await server.stop();
  });

  /** Waits until the server has seen the ends of all other connections: their pools fail if it stops before. */
  async function untilAlone(): Promise<void> {
    const others = "select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()";
    for (let left = 1; left > 0;) left = (await pool.query(others)).rows.length;
  }

  /** A process: an agent with guardrails and its own checkpointer. */
  async function openAgent(replies: readonly ScriptedReply[], found = "found it") {
    const checkpointer = PostgresSaver.fromConnString(server.url);
    closing.push(() => checkpointer.end());
    await checkpointer.setup();
    const model = scriptedModel([...replies]);
    const search = tool(() => found, { name: "look_up", description: "d", schema: z.object({ q: z.string() }) });
    const middleware = [guardrailsMiddleware(await toolGuardrails(RAILS))];
    const agent = createAgent({ model, tools: [search as never], checkpointer, middleware });
    const ask = async (text: string, thread_id: string): Promise<string[]> => {
      const { messages } = await agent.invoke({ messages: [new HumanMessage(text)] }, { configurable: { thread_id } });
      return (messages as BaseMessage[]).map((message) => message.text);
    };
    return { ask, model, checkpointer };
  }

  /** All that the checkpointer keeps of a thread, as text. */
  async function stored(thread: string): Promise<string> {
    const texts: string[] = [];
    for (const [table, columns] of [
      ["checkpoints", "checkpoint::text || metadata::text"],
      ["checkpoint_blobs", "encode(blob, 'escape')"],
      ["checkpoint_writes", "encode(blob, 'escape')"],
    ]) {
      const { rows } = await pool.query(`select ${columns} as held from ${table} where thread_id = $1`, [thread]);
      texts.push(...rows.map((row: Record<string, unknown>) => String(row["held"])));
    }
    return texts.join("\n");
  }

  it("continues a guarded agent in another process", async () => {
    const first = await openAgent(["Hello Ann."]);
    await first.ask("my name is Ann", "carried");
    const second = await openAgent(["You are Ann."]);
    const texts = await second.ask("who am I?", "carried");
    expect(texts).toEqual(["my name is Ann", "Hello Ann.", "who am I?", "You are Ann."]);
    expect(second.model.calls[0]?.prompt).toContain("my name is Ann");
  });

  it("keeps no response, argument or result that a rail has blocked", async () => {
    const answers = await openAgent(["a bad answer"]);
    expect((await answers.ask("hello", "answers")).at(-1)).toBe("REFUSED");
    const calls = await openAgent([asks({ q: "a bad argument" }, "c1"), "fine"]);
    await calls.ask("hello", "calls");
    const results = await openAgent([asks({ q: "x" }, "c2"), "fine"], "a bad result");
    await results.ask("hello", "results");
    for (const [thread, text] of [
      ["answers", "bad answer"],
      ["calls", "bad argument"],
      ["results", "bad result"],
    ] as const) {
      const held = await stored(thread);
      expect(held).toContain("hello");
      expect(held).not.toContain(text);
    }
  });

  it("keeps a blocked message in no checkpoint after the input, and no later process sees it", async () => {
    const first = await openAgent([]);
    expect((await first.ask("bad words of mine", "blocked")).at(-1)).toBe("REFUSED");
    const steps: number[] = [];
    for await (const { metadata, ...state } of first.checkpointer.list({ configurable: { thread_id: "blocked" } })) {
      const step = metadata?.step ?? 0;
      // LangGraph writes the input before any middleware runs.
      if (step > 0) expect(JSON.stringify(state)).not.toContain("bad words");
      steps.push(step);
    }
    expect(Math.max(...steps)).toBeGreaterThan(0);
    const second = await openAgent(["Hello."]);
    const texts = await second.ask("hello", "blocked");
    expect(texts.join("\n")).not.toContain("bad words");
    expect(second.model.calls[0]?.prompt).not.toContain("bad words");
  });

  it("keeps the conversations of guardrails in the store of a graph", async () => {
    const colang = "define flow count\n  event UserMessage\n  $count = execute next\n  bot $count\n";
    const next = (_params: unknown, { context }: { context: Readonly<Record<string, unknown>> }): number =>
      Number(context["count"] ?? 0) + 1;
    const say = async (): Promise<string | undefined> => {
      const store = PostgresStore.fromConnString(server.url);
      closing.push(() => store.stop());
      await store.setup();
      const guardrails = await Guardrails.fromConfig(
        { colang, yaml: "models: []" },
        { actions: { next }, logger: false },
      );
      const model = guardrails.wrap(scriptedModel([]));
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("bot", async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
        .addEdge(START, "bot")
        .compile({ store });
      const { messages } = await graph.invoke(
        { messages: [new HumanMessage("hi")] },
        { configurable: { thread_id: "counted" } },
      );
      return messages.at(-1)?.text;
    };
    expect([await say(), await say(), await say()]).toEqual(["1", "2", "3"]);
    const { rows } = await pool.query("select value ->> 'version' as version from store where key = 'id.counted'");
    expect(rows).toEqual([{ version: expect.stringMatching(/^\d+$/) }]);
  });
});
