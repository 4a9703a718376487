import { describe, expect, it } from "@jest/globals";
import { AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { Guardrails } from "../../../src/index.js";
import { ReplyingModel } from "../../support/langchain/replying-model.js";

const ADA = "ada@example.org";
const BOB = "bob@example.net";
const EMAILS = { entities: ["EMAIL_ADDRESS"] };

function open(version: "1.0" | "2.x", rails: object = {}, more: object = {}): Promise<Guardrails> {
  const config = {
    colang_version: version,
    rails: {
      input: { flows: ["pseudonymise sensitive data on input"] },
      tool_input: { flows: ["pseudonymise sensitive data on tool input"] },
      config: { sensitive_data_detection: { input: EMAILS, tool_input: EMAILS, output: EMAILS } },
      ...rails,
    },
  };
  const colang = version === "2.x" ? { colang: "import core\n" } : {};
  return Guardrails.fromConfig({ ...colang, config }, { logger: false, ...more });
}

const calling = (args: object, text = ""): AIMessageChunk =>
  new AIMessageChunk({ content: text, tool_calls: [{ name: "send", args: { ...args }, id: "c1", type: "tool_call" }] });

/** An agent with a tool that records its arguments and responds with its own value. */
function agentOf(
  guardrails: Guardrails,
  reply: ConstructorParameters<typeof ReplyingModel>[0],
  { inputHook, ...more }: { readonly inputHook?: "beforeAgent" | "wrapModelCall"; readonly checkpointer?: object } = {},
) {
  const given: unknown[] = [];
  const send = tool(
    (args: { to: string }) => {
      given.push(args);
      return `sent to ${args.to}, copy to ${BOB}`;
    },
    { name: "send", description: "sends", schema: z.object({ to: z.string().email() }) },
  );
  const model = new ReplyingModel(reply);
  const agent = createAgent({
    model,
    tools: [send],
    middleware: [guardrailsMiddleware(guardrails, { inputHook } as object)],
    ...(more as object),
  });
  return { agent, model, given };
}

/** Calls the tool with the user's text, then repeats the result of the tool. */
const sending = (texts: readonly string[], messages: readonly BaseMessage[]): readonly (string | AIMessageChunk)[] => {
  const last = messages.at(-1);
  if (last?.getType() === "tool") return ["Done: ", ...(texts.at(-1) ?? "").split(/(?=[<_])/)];
  return [calling({ to: /<\w+>/.exec(texts.at(-1) ?? "")?.[0] ?? "?" }, "I write to <EMAIL_1>")];
};

const textsOf = ({ messages }: { readonly messages: readonly BaseMessage[] }): readonly string[] =>
  messages.map(({ text }) => text);

describe.each(["1.0", "2.x"] as const)("pseudonyms of an agent in Colang %s", (version) => {
  it.each(["beforeAgent", "wrapModelCall"] as const)("replace values only for the model (%s)", async (inputHook) => {
    const { agent, model, given } = agentOf(await open(version), sending, { inputHook });
    const result = await agent.invoke({ messages: [new HumanMessage(`mail ${ADA}`)] });
    expect(textsOf(result)).toEqual([
      `mail ${ADA}`,
      `I write to ${ADA}`,
      `sent to ${ADA}, copy to ${BOB}`,
      `Done: sent to ${ADA}, copy to ${BOB}`,
    ]);
    expect(given).toEqual([{ to: ADA }]);
    expect(model.seen).toHaveLength(2);
    expect(model.seen[1]).toContain("sent to <EMAIL_1>, copy to <EMAIL_2>");
    expect(model.seen.join()).not.toMatch(/ada@|bob@|LITERAL/);
  });

  it("are kept by tool call rails, which see none of the values", async () => {
    const seen: unknown[] = [];
    const actions = { note_args: (_: unknown, { context }: { context: object }) => seen.push(context) > 0 };
    const flow =
      version === "2.x"
        ? "flow note calls\n  $ok = await NoteArgsAction()\n"
        : "define subflow note calls\n  $ok = execute note_args\n";
    const guardrails = await Guardrails.fromConfig(
      {
        colang: version === "2.x" ? `import core\n\n${flow}` : flow,
        config: {
          colang_version: version,
          rails: {
            input: { flows: ["pseudonymise sensitive data on input"] },
            tool_output: { flows: ["note calls"] },
            config: { sensitive_data_detection: { input: EMAILS } },
          },
        },
      },
      { logger: false, actions },
    );
    const { agent, given } = agentOf(guardrails, sending);
    await agent.invoke({ messages: [new HumanMessage(`mail ${ADA}`)] });
    expect(given).toEqual([{ to: ADA }]);
    expect(seen).not.toHaveLength(0);
    expect(JSON.stringify(seen)).toContain("<EMAIL_1>");
    expect(JSON.stringify(seen)).not.toContain("ada@");
  });

  it("are restored in the stream of messages, and tracers see none of the values in it", async () => {
    const { agent } = agentOf(await open(version), sending);
    const traced: string[] = [];
    const note = (...values: readonly unknown[]): void => void traced.push(JSON.stringify(values));
    const callbacks = [{ handleLLMNewToken: note, handleLLMEnd: note, handleChatModelStart: note }];
    const input = { messages: [new HumanMessage(`mail ${ADA}`)] };
    const texts = new Map<string | undefined, string>();
    for await (const part of await agent.stream(input, { streamMode: "messages", callbacks } as never)) {
      const [{ id, text }] = part as unknown as readonly [BaseMessage];
      texts.set(id, (texts.get(id) ?? "") + text);
    }
    const seen = [...texts.values()].join("|");
    expect(seen).toContain(`I write to ${ADA}`);
    expect(seen).toContain(`Done: sent to ${ADA}, copy to ${BOB}`);
    expect(seen).not.toContain("<EMAIL");
    expect(traced.length).toBeGreaterThan(2);
    expect(traced.join()).not.toMatch(/ada@|bob@/);
  });

  it.each(["v2", "v3"])(
    "are restored in the events of version %s, and tracers see none of the values in them",
    async (way) => {
      const { agent, model } = agentOf(await open(version), sending);
      const traced: string[] = [];
      const note = (value: unknown): void => void traced.push(JSON.stringify(value));
      const callbacks = [{ handleLLMNewToken: note, handleChatModelStreamEvent: note, handleLLMEnd: note }];
      const input = { messages: [new HumanMessage(`mail ${ADA}`)] };
      const events = await agent.streamEvents(input as never, { version: way, callbacks } as never);
      const seen: unknown[] = [];
      for await (const event of events as AsyncIterable<{ readonly event?: string; readonly method?: string }>) {
        if (/_(?:stream|end)$/.test(event.event ?? "") && event.event?.startsWith("on_chat_model") === true)
          seen.push({ ...(event as { readonly data: object }).data, input: undefined });
        if (event.method !== undefined) seen.push(event);
      }
      expect(JSON.stringify(seen)).toContain(`sent to ${ADA}, copy to ${BOB}`);
      expect(JSON.stringify(seen)).not.toMatch(/EMAIL_\d/);
      expect(model.seen.join()).not.toMatch(/ada@|bob@/);
      expect(traced.length).toBeGreaterThan(2);
      expect(traced.join()).not.toMatch(/ada@|bob@/);
    },
  );

  it("stay the same over the turns of a thread, in any process", async () => {
    const checkpointer = new MemorySaver();
    const reply = (texts: readonly string[]): readonly string[] =>
      texts.at(-1) === "which?" ? [`<EMAIL_1>, <EMAIL_2> or <EMAIL_3>`] : [`noted ${texts.at(-1) ?? ""}`];
    const ask = async (text: string): Promise<string | undefined> => {
      // A new guardrails object each time, as in another process.
      const { agent, model } = agentOf(await open(version), reply, { checkpointer });
      const config = { configurable: { thread_id: "t" } };
      const result = await agent.invoke({ messages: [new HumanMessage(text)] }, config);
      expect(model.seen.join()).not.toMatch(/ada@|bob@/);
      return textsOf(result).at(-1);
    };
    expect(await ask(`mail ${ADA}`)).toBe(`noted mail ${ADA}`);
    expect(await ask(`not <EMAIL_1>, ${BOB}`)).toBe(`noted not <EMAIL_1>, ${BOB}`);
    expect(await ask("which?")).toBe(`${ADA}, ${BOB} or <EMAIL_3>`);
  });

  it("let output rails review what the model wrote", async () => {
    const guardrails = await open(version, { output: { flows: ["mask sensitive data on output"] } });
    const { agent } = agentOf(guardrails, (texts) => [`${texts.at(-1) ?? ""} and eve@example.com`]);
    const result = await agent.invoke({ messages: [new HumanMessage(`mail ${ADA}`)] });
    expect(textsOf(result).at(-1)).toBe(`mail ${ADA} and <EMAIL_ADDRESS>`);
  });

  it("are reported once for each message", async () => {
    const decisions: { readonly status: string }[] = [];
    const onDecision = (decision: { readonly status: string }) => void decisions.push(decision);
    const { agent } = agentOf(await open(version, {}, { onDecision }), sending);
    await agent.invoke({ messages: [new HumanMessage(`mail ${ADA}`)] });
    expect(decisions.map(({ status }) => status)).toEqual(["modified", "modified"]);
    expect(JSON.stringify(decisions)).not.toMatch(/ada@|bob@/);
  });
});
