import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Guardrails, type RailDecision } from "../../../src/index.js";
import { scriptedServer, type ScriptedServer, type ServerReply } from "../../../src/testing/scripted-server.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

/** A promise that the test resolves. */
function signal(): { readonly promise: Promise<void>; readonly fire: () => void } {
  let fire = (): void => undefined;
  const promise = new Promise<void>((resolve) => (fire = resolve));
  return { promise, fire: () => fire() };
}

const SAID = ["SECRET ", "plans ", "of ", "an ", "answer"];

/** Judge and model of one server; the test controls when each responds. */
async function open(main: ServerReply, judge: ServerReply, { speculative = true } = {}) {
  const asked = { main: signal(), judge: signal() };
  const server = await scriptedServer(({ body }) => {
    const isJudge = body["model"] === "judge";
    (isJudge ? asked.judge : asked.main).fire();
    return isJudge ? judge : main;
  });
  const modelOf = (model: string) =>
    new ChatOpenAI({ model, apiKey: "k", maxRetries: 0, configuration: { baseURL: server.url } });
  const decisions: RailDecision[] = [];
  const guardrails = await Guardrails.fromConfig(
    { config: { rails: { input: { flows: ["self check input"], speculative } } } },
    { models: { self_check_input: modelOf("judge") }, onDecision: (decision) => void decisions.push(decision) },
  );
  return { server, asked, decisions, guarded: guardrails.wrap(modelOf("main")) };
}

class Listener extends BaseCallbackHandler {
  name = "listener";
  readonly tokens: string[] = [];

  override handleLLMNewToken(token: string): void {
    this.tokens.push(token);
  }
}

type Guarded = Awaited<ReturnType<typeof open>>["guarded"];

const WAYS: readonly [string, (guarded: Guarded, listener: Listener) => Promise<unknown>][] = [
  ["invoke", (guarded, listener) => guarded.invoke("hi", { callbacks: [listener] })],
  ["stream", async (guarded, listener) => drain(await guarded.stream("hi", { callbacks: [listener] }))],
  [
    "streamEvents",
    async (guarded, listener) => drain(guarded.streamEvents("hi", { version: "v2", callbacks: [listener] })),
  ],
];

async function abortsOf(server: ScriptedServer, count: number): Promise<void> {
  // The end of a connection reaches the server a few turns of the event loop later.
  while (server.aborted < count) await new Promise((resolve) => setImmediate(resolve));
}

describe("a main call over HTTP that starts before the verdict", () => {
  it.each(WAYS)(
    "reaches its server before the judge has responded, and its response is reused: %s",
    async (_, call) => {
      const verdict = signal();
      const { server, asked, guarded } = await open({ text: "An answer." }, { text: "No", gate: verdict.promise });
      await using _closing = server;
      const running = call(guarded, new Listener());
      let isOver = false;
      void running.then(() => (isOver = true));
      await Promise.all([asked.main.promise, asked.judge.promise]);
      expect(isOver).toBe(false);
      verdict.fire();
      expect(visibleJson(await running)).toContain("answer");
      expect(server.requests.map(({ body }) => body["model"]).sort()).toEqual(["judge", "main"]);
      expect(server.aborted).toBe(0);
    },
  );

  it.each(WAYS)("cancels the call at a block and drops its result: %s", async (_, call) => {
    const verdict = signal();
    const never = new Promise<never>(() => undefined);
    const { server, asked, guarded, decisions } = await open(
      { text: SAID.join(""), pieces: SAID, gate: never, gateAt: 2 },
      { text: "Yes", gate: verdict.promise },
    );
    await using _closing = server;
    const listener = new Listener();
    const running = call(guarded, listener);
    await Promise.all([asked.main.promise, asked.judge.promise]);
    verdict.fire();
    const seen = await running;
    await abortsOf(server, 1);
    const received = visibleJson([seen, listener.tokens, decisions]);
    expect(received).not.toMatch(/SECRET|plans/);
    expect(received).toMatch(/I'm sorry|cannot|can't/i);
    expect(decisions.map(({ rail, status }) => [rail, status])).toEqual([["self check input", "blocked"]]);
    expect(server.aborted).toBe(1);
  });

  it("is not made before the verdict without `speculative`", async () => {
    const { server, guarded } = await open({ text: "An answer." }, { text: "Yes" }, { speculative: false });
    await using _closing = server;
    const answer: AIMessageChunk = await guarded.invoke("hi");
    expect(answer.text).not.toContain("answer.");
    expect(server.requests.map(({ body }) => body["model"])).toEqual(["judge"]);
  });
});
