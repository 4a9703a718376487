import { describe, expect, it } from "@jest/globals";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type AIMessageFields, type BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import type { Guardrails } from "../../../src/index.js";
import {
  chatModelContract,
  type ModelRequest,
  type ModelUnderTest,
  scriptedModel,
  scriptedServer,
  type ServerReply,
  type ServerRequest,
} from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";

type Guard = (model: BaseChatModel) => BaseChatModel;
const bare: Guard = (model) => model;
const passing: Partial<Parameters<typeof realGuardrails>[0]> = { input: ["check words"], output: ["check answer"] };
// Modules may be loaded while a test runs, and not before.
let guards: Promise<Guardrails> | undefined;
const guarded = async (): Promise<Guard> => {
  const guardrails = await (guards ??= realGuardrails(passing));
  return (model) => guardrails.wrap(model);
};

function toMessage({ text, toolCalls = [], usage, error }: ServerReply): AIMessage | Error {
  if (error !== undefined) return new Error(String(error["message"]));
  return new AIMessage({
    content: text ?? "",
    tool_calls: toolCalls.map(({ name, args }, index) => ({ name, args: { ...args }, id: `call_${index + 1}` })),
    ...(usage === undefined
      ? {}
      : {
          usage_metadata: {
            input_tokens: usage.prompt,
            output_tokens: usage.completion,
            total_tokens: usage.prompt + usage.completion,
          },
        }),
  } as unknown as AIMessageFields);
}

const contentOf = ({ content, text }: BaseMessage): unknown => (typeof content === "string" ? text : content);

function overScript(guard: Guard, replies: readonly ServerReply[]): ModelUnderTest {
  const scripted = scriptedModel(
    replies.map((reply) => async () => {
      await reply.gate;
      return toMessage(reply);
    }),
  );
  const toolName = (bound: unknown): string => {
    const { name, function: described } = bound as { name?: string; function?: { name: string } };
    return described?.name ?? name ?? "";
  };
  return {
    model: guard(scripted),
    requests: () =>
      scripted.calls.map(({ messages, options }) => ({
        messages: messages.map((message) => ({ role: message.getType(), content: contentOf(message) })),
        tools: (options.tools ?? []).map(toolName),
        stop: options.stop ?? [],
      })),
  };
}

const ROLES: Readonly<Record<string, string>> = { user: "human", assistant: "ai", tool: "tool", system: "system" };

function readRequest({ body }: ServerRequest): ModelRequest {
  const { messages, tools, stop } = body as {
    messages: { role: string; content: unknown }[];
    tools?: { function: { name: string } }[];
    stop?: string | string[];
  };
  return {
    messages: messages.map(({ role, content }) => ({ role: ROLES[role] ?? role, content })),
    tools: (tools ?? []).map((bound) => bound.function.name),
    stop: [stop ?? []].flat(),
  };
}

async function overHttp(guard: Guard, replies: readonly ServerReply[]): Promise<ModelUnderTest> {
  const server = await scriptedServer(replies);
  const configuration = { baseURL: server.url };
  const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", maxRetries: 0, streamUsage: true, configuration });
  return { model: guard(model), requests: () => server.requests.map(readRequest), close: () => server.close() };
}

describe.each<[string, () => Guard | Promise<Guard>]>([
  ["a bare model, as a control", () => bare],
  ["a guarded model", guarded],
])("the contract of chat models: %s", (_, guard) => {
  describe("of a script", () => {
    const create = async (replies: readonly ServerReply[]) => overScript(await guard(), replies);
    it.each(chatModelContract({ create }))("$name", ({ run }) => run());
  });

  describe("ChatOpenAI over HTTP", () => {
    const create = async (replies: readonly ServerReply[]) => overHttp(await guard(), replies);
    it.each(chatModelContract({ create }))("$name", ({ run }) => run());
  });
});

describe("the contract reports a model that breaks it", () => {
  const broken: [string, RegExp, (model: BaseChatModel) => unknown][] = [
    [
      "streams a part only",
      /^stream: the chunks join/,
      (model) => ({ stream: async () => (await drain(await model.stream("hi"))).slice(1) }),
    ],
    ["forgets stop sequences", /^options: stop/, (model) => ({ invoke: (input: string) => model.invoke(input) })],
    ["forgets tools", /^tools: are sent/, (model) => ({ bindTools: () => model })],
    ["swallows errors", /^errors: of the provider/, (model) => ({ invoke: () => model.invoke("hi").catch(() => "") })],
  ];

  it.each(broken)("%s", async (_, pattern, flaw) => {
    const create = (replies: readonly ServerReply[]): ModelUnderTest => {
      const subject = overScript(bare, replies);
      const { model } = subject;
      const original = Object.assign(Object.create(model) as BaseChatModel, {
        invoke: model.invoke.bind(model),
        stream: model.stream.bind(model),
      });
      return { ...subject, model: Object.assign(model, flaw(original)) };
    };
    const found = chatModelContract({ create }).filter(({ name }) => pattern.test(name));
    expect(found).toHaveLength(1);
    await expect(found[0]?.run()).rejects.toThrow(/expected|hold/);
  });
});
