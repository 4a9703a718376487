import { type AIMessage, AIMessage as Answer, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z as z3 } from "zod";
import { z } from "zod/v4";
import {
  collect,
  joinMessages,
  type ModelDemand,
  type ModelUnderTest,
  requireResponse,
  requireError,
  requireTrue,
  usageOf,
} from "./chat-model-case.js";
import { requireSame } from "./contract.js";

const look = tool(() => "", { name: "look", description: "looks something up", schema: z.object({ q: z.string() }) });
const SCHEMAS = [
  ["zod 4", z.object({ dish: z.string(), minutes: z.number() })],
  ["zod 3", z3.object({ dish: z3.string(), minutes: z3.number() })],
  [
    "JSON Schema",
    {
      title: "extract",
      type: "object",
      properties: { dish: { type: "string" }, minutes: { type: "number" } },
      required: ["dish", "minutes"],
    },
  ],
] as const;
const VALUE = { dish: "rye bread", minutes: 45 };
const extraction = { toolCalls: [{ name: "extract", args: VALUE }] };

function withTools({ model }: ModelUnderTest): ReturnType<NonNullable<ModelUnderTest["model"]["bindTools"]>> {
  requireTrue(typeof model.bindTools === "function", "the model takes tools");
  return model.bindTools?.([look]) as never;
}

function callsOf(message: AIMessage): readonly unknown[] {
  return (message.tool_calls ?? []).map(({ name, args }) => [name, args]);
}

/** Tools, conversations with their results, and structured output. */
export const TOOL_DEMANDS: readonly ModelDemand[] = [
  {
    name: "tools: are sent, and their calls come back with name, arguments and id",
    replies: [{ toolCalls: [{ name: "look", args: { q: "rye" } }] }],
    async run(subject) {
      const response = (await withTools(subject).invoke("hi")) as AIMessage;
      requireSame(callsOf(response), [["look", { q: "rye" }]], "the calls");
      requireTrue(typeof response.tool_calls?.[0]?.id === "string", "a call has an id");
      requireSame(subject.requests()[0]?.tools, ["look"], "the tools that were sent");
    },
  },
  {
    name: "tools: several calls next to a text come back in order",
    replies: [
      {
        text: "Let me see.",
        toolCalls: [
          { name: "look", args: { q: "rye" } },
          { name: "look", args: { q: "oats" } },
        ],
      },
    ],
    async run(subject) {
      const response = await withTools(subject).invoke("hi");
      requireResponse(response, "Let me see.");
      requireSame(
        callsOf(response),
        [
          ["look", { q: "rye" }],
          ["look", { q: "oats" }],
        ],
        "the calls",
      );
    },
  },
  {
    name: "tools: streamed calls join to the whole call",
    replies: [{ toolCalls: [{ name: "look", args: { q: "rye" } }], usage: { prompt: 3, completion: 2 } }],
    async run(subject) {
      const chunks = await collect(await withTools(subject).stream("hi"));
      const whole = joinMessages(chunks as never);
      requireSame(callsOf(whole as unknown as AIMessage), [["look", { q: "rye" }]], "the joined calls");
      requireTrue(
        (whole.tool_call_chunks ?? []).every(({ index }) => typeof index === "number"),
        "pieces of calls have an index",
      );
      requireSame(usageOf(whole), [3, 2], "the joined usage");
    },
  },
  {
    name: "tools: a conversation with results reaches the provider whole",
    replies: [{ text: "It is fine." }],
    async run(subject) {
      const messages = [
        new HumanMessage("how is rye?"),
        new Answer({ content: "", tool_calls: [{ name: "look", args: { q: "rye" }, id: "call_1" }] }),
        new ToolMessage({ content: "rye is fine", tool_call_id: "call_1", name: "look" }),
      ];
      requireResponse(await withTools(subject).invoke(messages), "It is fine.");
      const sent = subject.requests()[0]?.messages ?? [];
      const roles = sent.map(({ role }) => role);
      requireSame(roles, ["human", "ai", "tool"], "the roles that were sent");
      requireSame(sent[2]?.content, "rye is fine", "the result that was sent");
    },
  },
  {
    name: "tools: binding makes a new model and leaves the first one alone",
    replies: [{ text: "plain" }],
    async run(subject) {
      withTools(subject);
      requireResponse(await subject.model.invoke("hi"), "plain");
      requireSame(subject.requests()[0]?.tools, [], "the tools that were sent");
    },
  },
  ...SCHEMAS.map(([name, schema]): ModelDemand => ({
    name: `structured output by ${name}: the parsed value, in invoke, batch and stream`,
    replies: [extraction, extraction, extraction],
    async run({ model }) {
      const structured = model.withStructuredOutput(schema as object, { method: "functionCalling" });
      requireSame(await structured.invoke("hi"), VALUE, "the value");
      requireSame(await structured.batch(["hi"]), [VALUE], "the values of a batch");
      requireSame((await collect(await structured.stream("hi"))).at(-1), VALUE, "the last value of a stream");
    },
  })),
  ...SCHEMAS.map(([name, schema]): ModelDemand => ({
    name: `structured output by ${name}, with its message`,
    replies: [extraction],
    async run({ model }) {
      const method = { method: "functionCalling", includeRaw: true } as const;
      const { raw, parsed } = await model.withStructuredOutput(schema as object, method).invoke("hi");
      requireSame(parsed, VALUE, "the value");
      requireSame(callsOf(raw as AIMessage), [["extract", VALUE]], "the calls of the message");
    },
  })),
  {
    name: "structured output: the provider's error is an error, with and without the message",
    replies: Array.from({ length: 2 }, () => ({ status: 400, error: { message: "refused" } })),
    async run({ model }) {
      for (const includeRaw of [false, true]) {
        const options = { method: "functionCalling", includeRaw } as { method: string; includeRaw: false };
        await requireError(model.withStructuredOutput(SCHEMAS[0][1], options).invoke("hi"), "a failing provider");
      }
    },
  },
];
