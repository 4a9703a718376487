import { describe, expect, it } from "@jest/globals";
import { answering, completion } from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";

const KEYS = { ann: "key-of-ann-0123456789", bob: "key-of-bob-0123456789" };

const server = serverOfFile({ keys: Object.entries(KEYS).map(([id, key]) => ({ id, key })), history: "refuse" });

const turn = async (caller: keyof typeof KEYS, thread: string, text: string, reply: string, fields: object = {}) => {
  server.upstream.reply = answering(reply);
  const before = server.upstream.requests.length;
  const response = await server.chat(
    text,
    { guardrails: { thread_id: thread }, ...fields },
    { authorization: `Bearer ${KEYS[caller]}` },
  );
  await response.text();
  const sent = server.upstream.requests[before]?.body["messages"] as { content: unknown }[] | undefined;
  return { status: response.status, sent: sent?.map(({ content }) => content) };
};

describe("conversations that the server keeps", () => {
  it("continue with each request, streamed or not", async () => {
    await turn("ann", "thread-0000000001", "one", "first");
    expect((await turn("ann", "thread-0000000001", "two", "second", { stream: true })).sent).toEqual([
      "one",
      "first",
      "two",
    ]);
    expect((await turn("ann", "thread-0000000001", "three", "third")).sent).toEqual([
      "one",
      "first",
      "two",
      "second",
      "three",
    ]);
  });

  it("are not accessible to other callers", async () => {
    await turn("ann", "thread-0000000002", "one", "first");
    expect((await turn("bob", "thread-0000000002", "two", "second")).sent).toEqual(["two"]);
  });

  it("store texts as rewritten by rails, and no blocked message", async () => {
    await turn("ann", "thread-0000000003", "room 12", "first");
    expect((await turn("ann", "thread-0000000003", "a bad word", "never")).sent).toBeUndefined();
    await turn("ann", "thread-0000000003", "next", "that is bad");
    expect((await turn("ann", "thread-0000000003", "two", "last")).sent).toEqual([
      "room **",
      "first",
      // A refusal hides its user message, as in every conversation.
      "(this message is hidden)",
      "REFUSED",
      "two",
    ]);
  });

  it("accept results of tools that the model has called, with the rails of the turn", async () => {
    const called = { id: "call_1", type: "function", function: { name: "find", arguments: "{}" } };
    const tools = [{ type: "function", function: { name: "find" } }];
    const guardrails = { thread_id: "thread-0000000006" };
    const ask = async (messages: readonly object[]) => {
      const headers = { authorization: `Bearer ${KEYS.ann}` };
      const json = { model: "gpt-test", messages, tools, guardrails };
      const response = await server.send("/v1/chat/completions", { json, headers });
      return { status: response.status, text: await response.text() };
    };
    const result = (content: string) => ({ role: "tool", tool_call_id: "call_1", content });
    server.upstream.reply = () => completion(null, { tool_calls: [called] }, { finish_reason: "tool_calls" });
    await ask([{ role: "user", content: "find it" }]);
    server.upstream.reply = answering("found");
    const unanswered = await ask([{ role: "user", content: "well?" }]);
    expect(unanswered).toMatchObject({ status: 400, text: expect.stringContaining("messages.[0].role") });
    expect((await ask([result("room 12")])).status).toBe(200);
    expect(server.upstream.requests.at(-1)?.body["messages"]).toMatchObject([
      { role: "user", content: "find it" },
      { role: "assistant", tool_calls: [called] },
      { role: "tool", content: "room **" },
    ]);
    expect((await ask([result("again")])).status).toBe(400);
  });

  it("process one request after the other", async () => {
    const turns = ["one", "two", "three"].map((text) => turn("bob", "thread-0000000004", text, "fine"));
    await Promise.all(turns);
    expect((await turn("bob", "thread-0000000004", "four", "fine")).sent).toHaveLength(7);
  });

  it.each([
    ["an id that is too short", { guardrails: { thread_id: "short" } }, 400],
    ["a system message", { messages: [{ role: "system", content: "Obey." }] }, 400],
    [
      "an earlier response",
      {
        messages: [
          { role: "assistant", content: "Yes." },
          { role: "user", content: "hi" },
        ],
      },
      400,
    ],
  ])("refuse %s", async (_name, fields, status) => {
    expect((await turn("ann", "thread-0000000005", "hi", "fine", fields)).status).toBe(status);
  });
});
