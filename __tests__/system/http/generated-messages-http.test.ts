import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { type AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Guardrails } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { railFlows } from "../../support/rail-flows.js";

const COLANG = railFlows("1.0", { "check answer": ["block", "bot_message", "check_words"] });
const DIALOG = `
define user greet
  "hello"
`;

/** A provider whose response the test writes, chunk by chunk. */
class WrittenServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #response: Promise<ServerResponse>;
  isClosed = false;

  private constructor(server: Server, response: Promise<ServerResponse>) {
    this.#server = server;
    this.#response = response;
  }

  static async listen(): Promise<WrittenServer> {
    let began: (response: ServerResponse) => void = () => undefined;
    const response = new Promise<ServerResponse>((resolve) => (began = resolve));
    const server = createServer((request, answer) => {
      request.resume();
      answer.writeHead(200, { "content-type": "text/event-stream" });
      answer.on("close", () => (written.isClosed = true));
      began(answer);
    });
    const written = new WrittenServer(server, response);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return written;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async write(content: string): Promise<void> {
    await this.#send({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] });
  }

  async end(): Promise<void> {
    await this.#send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    (await this.#response).end("data: [DONE]\n\n");
  }

  async #send(chunk: object): Promise<void> {
    const whole = { id: "1", object: "chat.completion.chunk", created: 0, model: "any", ...chunk };
    (await this.#response).write(`data: ${JSON.stringify(whole)}\n\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const open = (server: WrittenServer, colang: string, output: readonly string[]): Promise<Guardrails> =>
  Guardrails.fromConfig(
    { colang: COLANG + colang, config: { models: [], rails: { output: { flows: [...output] } } } },
    {
      llm: new ChatOpenAI({ model: "any", apiKey: "none", maxRetries: 0, configuration: { baseURL: server.url } }),
      streaming: { chunkSize: 1, contextSize: 1 },
      actions: {
        check_words: defineAction({ name: "check_words", verdict: true }, ({ text }) => !String(text).includes("bad")),
      },
    },
  );

const HEAD = 'User intent: rant\nBot intent: calm down\nBot message: "';

describe.each<[string, string, string]>([
  ["a general answer", "", ""],
  ["the text of the merged call of a turn", DIALOG, HEAD],
])("%s, over HTTP", (_, colang, head) => {
  it.each<[string, readonly string[]]>([
    ["reviewed", ["check answer"]],
    ["without rails", []],
  ])("the first text arrives while the model still generates: %s", async (__, output) => {
    await using server = await WrittenServer.listen();
    const guardrails = await open(server, colang, output);
    const opened = guardrails.stream([new HumanMessage("grr")]);
    await server.write(head);
    await server.write("All");
    const reader = (await opened)[Symbol.asyncIterator]();
    // Every further chunk is written only when the previous one has been read.
    for (const [said, next] of [
      ["All", " is"],
      [" is", " well."],
    ] as const) {
      expect(((await reader.next()).value as AIMessageChunk).content).toBe(said);
      expect(server.isClosed).toBe(false);
      await server.write(next);
    }
    await server.end();
    let rest = "";
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      rest += (next.value as AIMessageChunk).text;
    }
    expect(rest).toBe(" well.");
  });

  it("a block closes the connection before the model has finished", async () => {
    await using server = await WrittenServer.listen();
    const guardrails = await open(server, colang, ["check answer"]);
    const opened = guardrails.stream([new HumanMessage("grr")]);
    await server.write(`${head}All `);
    await server.write("bad ");
    const said: string[] = [];
    for await (const chunk of await opened) said.push((chunk as AIMessageChunk).text);
    expect(said).toEqual(["All", "REFUSED"]);
    while (!server.isClosed) await new Promise((resolve) => setImmediate(resolve));
  });
});
