import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { interrupt, MemorySaver, pushMessage } from "@langchain/langgraph";
import { createAgent, createMiddleware, modelCallLimitMiddleware, summarizationMiddleware } from "langchain";
import { z } from "zod/v4";
import { GuardrailViolationError } from "../../../src/index.js";
import { guardedMiddleware, guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { FORMS_WITHOUT_TEXT, REASONING_FORMS } from "../../support/langchain/messages-without-text.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";
import { textOf, textOfChunks } from "../../system/matrix/observe.js";

const HOOKS = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;
type Hook = (typeof HOOKS)[number];

interface Context {
  readonly writer?: ((chunk: unknown) => void) | undefined;
}
type Write = (text: string) => (state: { messages: readonly unknown[] }, runtime: Context) => unknown;

const messageOf = (text: string): AIMessage => new AIMessage({ content: text, id: "own" });

const WRITES: readonly (readonly [string, Write])[] = [
  ["a message", (text) => () => ({ messages: [messageOf(text)] })],
  ["one message without a list", (text) => () => ({ messages: messageOf(text) })],
  [
    "a message in the name of the user",
    (text) => () => ({ messages: [new HumanMessage({ content: text, id: "own" })] }),
  ],
  ["a message as data", (text) => () => ({ messages: [{ role: "assistant", content: text, id: "own" }] })],
  [
    "a summary in place of all messages",
    (text) => () => ({
      messages: [new RemoveMessage({ id: "h" }), new HumanMessage({ content: text, id: "own" })],
    }),
  ],
  ["another channel", (text) => () => ({ notes: { last: [text] } })],
  ["a message that it pushes", (text) => () => (pushMessage(messageOf(text)), undefined)],
  [
    "a chunk of the stream `custom`",
    (text) =>
      (_state, { writer }) => (writer?.({ text }), undefined),
  ],
  [
    "tokens of a model that it asks",
    (text) => async () => {
      const reply = await scriptedModel([text]).invoke("summarize");
      return { messages: [new AIMessage({ content: reply.text, id: "own" })] };
    },
  ],
  ["a question", (text) => () => ({ messages: [messageOf(String(interrupt({ text })))] })],
  ...[...FORMS_WITHOUT_TEXT, ...REASONING_FORMS].map(
    ([form, make]) =>
      [form, (text: string) => () => ({ messages: [Object.assign(make(text), { id: "own" })] })] as const,
  ),
];

/** @param isFollowed - true to add a message of the user, without which no model is called */
function writing(hook: Hook, write: ReturnType<Write>, { onlyOnce = true, isFollowed = false } = {}) {
  let runs = 0;
  const run = async (state: never, runtime: never): Promise<unknown> => {
    if (onlyOnce && (runs += 1) > 1) return undefined;
    const update = (await write(state, runtime)) as { messages?: unknown } | undefined;
    if (!isFollowed || hook.startsWith("after")) return update;
    return { ...update, messages: [update?.messages ?? [], new HumanMessage("and now?")].flat() };
  };
  return createMiddleware({ name: "own", stateSchema: z.object({ notes: z.any().optional() }), [hook]: run } as never);
}

const MODES = ["values", "updates", "messages", "custom", "debug", "checkpoints", "tasks"];

interface Setup {
  readonly middleware: ReturnType<typeof createMiddleware>;
  readonly output?: readonly string[];
  readonly order?: "inside" | "outside";
  readonly replies?: readonly ScriptedReply[];
  readonly onCheck?: (text: string) => unknown;
  readonly options?: Parameters<typeof guardedMiddleware>[2];
}

/** Runs an agent, and returns its last state with all that it emitted and stored. */
async function run({ middleware, output = ["check answer"], order = "inside", ...setup }: Setup) {
  const { replies = ["fine"], onCheck, options } = setup;
  const guardrails = await toolGuardrails({ output, ...(onCheck && { onCheck }) });
  const guard = guardrailsMiddleware(guardrails);
  const other = guardedMiddleware(guardrails, middleware, options);
  const checkpointer = new MemorySaver();
  const look = tool(() => "found", { name: "look", description: "Looks.", schema: z.object({}) });
  const agent = createAgent({
    model: scriptedModel(replies),
    tools: [look as never],
    checkpointer,
    middleware: order === "inside" ? [guard, other] : [other, guard],
  });
  const config = { configurable: { thread_id: "t" } };
  const input = { messages: [new HumanMessage({ content: "hi", id: "h" })] };
  const chunks = await drain((await agent.stream(input, { ...config, streamMode: MODES as never })) as never);
  const stored = await drain(checkpointer.list(config));
  const { values } = (await agent.graph.getState(config)) as { values: { messages: AIMessage[]; notes?: unknown } };
  const tokens = (chunks as [string, [AIMessage]][])
    .filter(([mode]) => mode === "messages")
    .map(([, [token]]) => token);
  return { values, seen: [textOf(chunks), textOf(stored), textOf(values), textOfChunks(tokens)].join("\n") };
}

/** Each write in one of the hooks, which take turns, and the first of them in every hook. */
const CELLS = WRITES.flatMap(([what, write], at) =>
  (at === 0 ? HOOKS : [HOOKS[at % HOOKS.length] as Hook]).map((hook) => ({ hook, what, write, at })),
);

const OWN_FORMS = CELLS.filter(({ at }) => at < WRITES.length - FORMS_WITHOUT_TEXT.length - REASONING_FORMS.length);

describe("a hook of another middleware", () => {
  it.each(CELLS)("writes nothing that a rail blocks: $hook, $what", async ({ hook, what, write, at }) => {
    const order = at % 3 === 0 ? "outside" : "inside";
    const { values, seen } = await run({ middleware: writing(hook, write("a bad secret")), order });
    expect(seen).not.toContain("bad secret");
    const isDropped = what === "a chunk of the stream `custom`";
    expect(values.messages.at(-1)?.text).toBe(isDropped ? "fine" : "REFUSED");
  });

  it.each(OWN_FORMS)("writes only what a rail left: $hook, $what", async ({ hook, write }) => {
    const { seen } = await run({
      middleware: writing(hook, write("the pin 4711"), { isFollowed: true }),
      output: ["hide digits of answer"],
    });
    expect(seen).not.toContain("pin 4711");
  });

  it.each(OWN_FORMS.filter(({ what }) => what !== "a chunk of the stream `custom`"))(
    "writes what rails pass as it is: $hook, $what",
    async ({ hook, write }) => {
      expect((await run({ middleware: writing(hook, write("a good note"), { isFollowed: true }) })).seen).toContain(
        "a good note",
      );
    },
  );

  it("may summarize the conversation", async () => {
    const summarizing = (summary: string) =>
      summarizationMiddleware({
        model: scriptedModel(summary),
        trigger: { messages: 1 },
        keep: { messages: 1 },
      } as never) as never;
    const replies = [new AIMessage({ content: "", tool_calls: [{ name: "look", args: {}, id: "1" }] }), "fine", "fine"];
    const blocked = await run({ middleware: summarizing("a bad secret"), replies });
    expect(blocked.seen).not.toContain("bad secret");
    expect(blocked.values.messages.at(-1)?.text).toBe("REFUSED");
    const passed = await run({ middleware: summarizing("a good summary"), replies });
    expect(passed.values.messages.map(({ text }) => text).join("\n")).toContain("a good summary");
  });

  it("may jump, count and write known messages without another review", async () => {
    const texts: string[] = [];
    const rewriting = writing("afterModel", (state) => ({ messages: [...state.messages], jumpTo: undefined }), {
      onlyOnce: false,
    });
    await run({ middleware: rewriting, onCheck: (text) => void texts.push(text) });
    await run({
      middleware: modelCallLimitMiddleware({ runLimit: 5 } as never) as never,
      onCheck: (text) => void texts.push(text),
    });
    expect(texts).toEqual(["fine", "fine"]);
  });

  it("leaves no open call of a tool if it is blocked", async () => {
    const call = { name: "look", args: {}, id: "1", type: "tool_call" } as const;
    const replies = [new AIMessage({ content: "", tool_calls: [call] }), "fine"];
    const middleware = writing("afterModel", () => ({ messages: [messageOf("a bad secret")] }));
    const { values } = await run({ middleware, replies });
    expect(values.messages.map((message) => [message.type, message.text])).toEqual([
      ["human", "hi"],
      ["ai", ""],
      ["tool", "REFUSED"],
      ["ai", "REFUSED"],
    ]);
    expect((values.messages[2] as unknown as ToolMessage).tool_call_id).toBe("1");
  });

  it("throws with `onBlocked: throw`, and refuses in other words with `blockedOutputMessage`", async () => {
    const middleware = () => writing("beforeModel", () => ({ messages: [messageOf("a bad secret")] }));
    const error: unknown = await run({ middleware: middleware(), options: { onBlocked: "throw" } }).catch(
      (given) => given,
    );
    expect(GuardrailViolationError.isInstance(error)).toBe(true);
    expect(textOf(error)).not.toContain("bad secret");
    const { values } = await run({ middleware: middleware(), options: { blockedOutputMessage: "Not this." } });
    expect(values.messages.at(-1)?.text).toBe("Not this.");
  });

  it.each(["inside", "outside"] as const)("cannot make up the result of a tool: %s", async (order) => {
    const guardrails = await toolGuardrails({ results: ["check result"] });
    const middleware = createMiddleware({
      name: "own",
      wrapToolCall: ({ toolCall }) => new ToolMessage({ content: "a bad secret", tool_call_id: toolCall.id ?? "" }),
    });
    const guard = guardrailsMiddleware(guardrails);
    const other = guardedMiddleware(guardrails, middleware);
    const model = scriptedModel([
      new AIMessage({ content: "", tool_calls: [{ name: "look", args: {}, id: "1" }] }),
      "fine",
    ]);
    const look = tool(() => "found", { name: "look", description: "Looks.", schema: z.object({}) });
    const agent = createAgent({
      model,
      tools: [look as never],
      middleware: order === "inside" ? [guard, other] : [other, guard],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("hi")] });
    expect(textOf([messages, model.calls.map((call) => call.messages)])).not.toContain("bad secret");
    expect(messages.map(({ text }) => text)).toEqual(["hi", "", "REFUSED", "fine"]);
  });
});
