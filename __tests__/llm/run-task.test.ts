import { describe, expect, it } from "@jest/globals";
import type { TaskPrompt } from "../../src/config/settings.js";
import { LimitError, ModelError } from "../../src/diagnostics/errors.js";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import type { LanguageModel, ModelCompletion, ModelParameters, ModelPrompt } from "../../src/llm/model.js";
import type { LlmCallRecord } from "../../src/llm/task/call-model.js";
import type { TaskRequest } from "../../src/llm/task/task.js";
import { createTasks, type TaskOptions } from "../../src/llm/task/run-task.js";

interface Call {
  readonly prompt: ModelPrompt;
  readonly parameters: ModelParameters;
}

function fakeModel(
  answer: string | Error,
  family: "chat" | "text" = "chat",
): LanguageModel & { readonly calls: Call[] } {
  const calls: Call[] = [];
  return {
    engine: "fake",
    name: "one",
    family,
    native: undefined,
    calls,
    generate: (prompt, parameters): Promise<ModelCompletion> => {
      calls.push({ prompt, parameters });
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ text: answer });
    },
  };
}

function prompt(content: string | null, fields: Partial<TaskPrompt> = {}): TaskPrompt {
  const base = { task: "t", messages: null, models: null, mode: "standard", output_parser: null };
  return { ...base, content, max_length: 16000, max_prompt_tokens: null, stop: null, max_tokens: null, ...fields };
}

function tasksOf(prompts: readonly TaskPrompt[], options: Partial<TaskOptions> = {}): ReturnType<typeof createTasks> {
  let time = 0;
  return createTasks({
    prompts,
    promptingMode: "standard",
    historyPrinter: (events) => events.map((event) => String(event["text"] ?? event.type)).join("\n"),
    instructions: [
      { type: "general", content: "Be kind.\n" },
      { type: "other", content: "no" },
    ],
    sampleConversation: 'user "a"\n  x\nuser "b"\n  y\nuser "c"\n  z',
    lowestTemperature: 0.001,
    clock: { now: () => (time += 5) },
    ...options,
  });
}

function request(model: LanguageModel, fields: Partial<TaskRequest> = {}): TaskRequest {
  return { task: "t", model, events: [], context: {}, scope: {}, ...fields };
}

const user = (text: string): GuardrailsEvent => ({ type: "UserMessage", text });

async function rendered(
  text: string,
  fields: Partial<TaskRequest> = {},
  options: Partial<TaskOptions> = {},
): Promise<string> {
  const model = fakeModel("ok", "text");
  await tasksOf([prompt(text)], options).run(request(model, fields));
  const sent = model.calls[0]?.prompt;
  return sent?.kind === "text" ? sent.text : JSON.stringify(sent);
}

describe("rendering", () => {
  let calls = 0;

  it.each([
    ["{{ general_instructions }}", "Be kind."],
    ["{{ sample_conversation_two_turns }}", 'user "a"\n  x\nuser "b"\n  y'],
    ["{{ city }} {{ own }}", "Rome mine"],
    ["{{ history | colang }}", "hi"],
    ["{{ missing }}{{ missing.deeper }}", ""],
    ["{{ relevant.chunks | length }}", "2"],
    ["{% if own %}\nx\n{% endif %}\n", "\nx\n"],
    ["{{ greeting }}", "from the registry"],
    ["{{ shout }} {{ own | shout('!') }}", "lazy MINE!"],
  ])("%j gives %j", async (text, expected) => {
    const fields = {
      events: [user("hi")],
      context: {
        city: "Rome",
        own: "theirs",
        history: "forged",
        relevant: { chunks: [1, 2] },
        greeting: "from the caller",
      },
      variables: { own: "mine" },
    };
    const promptContext = { greeting: "from the registry", shout: () => "lazy" };
    const filters = { shout: (value: unknown, mark: unknown) => `${String(value).toUpperCase()}${String(mark)}` };
    expect(await rendered(text, fields, { promptContext, filters })).toBe(expected);
  });

  it.each<[string, Partial<TaskRequest>, Partial<TaskOptions>, string]>([
    ["of the settings", {}, {}, 'user "a"|1'],
    ["of the request", { variables: { sample_conversation: 'user "own"' } }, {}, 'user "own"|1'],
    ["of the registry", {}, { promptContext: { sample_conversation: () => 'user "new"' } }, 'user "new"|1'],
    ["of a filter of the user", {}, { filters: { first_turns: () => `turn ${(calls += 1)}` } }, "turn 2|1"],
  ])("renders the sample conversation %s in every call", async (_, fields, options, expected) => {
    calls = 0;
    const text = "{{ sample_conversation | first_turns(1) | replace('\n  x', '') }}|{{ own }}";
    const model = fakeModel("ok", "text");
    const tasks = tasksOf([prompt(text)], options);
    for (const own of [0, 1]) {
      await tasks.run(request(model, { ...fields, variables: { ...fields.variables, own } }));
    }
    expect(model.calls.at(-1)?.prompt).toEqual({ kind: "text", text: expected });
  });

  it("drops blank messages and spreads lists", async () => {
    const messages = [
      { type: "system", content: "{{ missing }}\n" } as const,
      { type: "user", content: "q {{ own }}" } as const,
      "{{ sample_conversation | first_turns(1) | to_messages }}",
      '[{"type": "bot", "content": "from JSON"}]',
      "{{ missing }}",
    ];
    const model = fakeModel("ok");
    await tasksOf([prompt(null, { messages })]).run(request(model, { variables: { own: 1 } }));
    expect(model.calls[0]?.prompt).toEqual({
      kind: "messages",
      messages: [
        { type: "user", content: "q 1" },
        { type: "user", content: "a" },
        { type: "assistant", content: "User intent: x" },
        { type: "assistant", content: "from JSON" },
      ],
    });
  });

  it.each(["{{ general_instructions }}", "[1]", '[{"type": "tool", "content": "x"}]'])(
    "refuses %j as messages",
    async (text) => {
      const tasks = tasksOf([prompt(null, { messages: [text] })]);
      await expect(tasks.run(request(fakeModel("ok")))).rejects.toThrow(
        "expected a template among the messages of prompt `t` to render a list of messages",
      );
    },
  );

  it.each<[string, Partial<TaskPrompt>, "chat" | "text", ModelPrompt]>([
    ["a text", { content: "hello" }, "text", { kind: "text", text: "hello\n\nBriefly." }],
    [
      "a text for a chat model",
      { content: "hello" },
      "chat",
      { kind: "messages", messages: [{ type: "user", content: "hello\n\nBriefly." }] },
    ],
    [
      "the user's last message",
      {
        content: null,
        messages: [
          { type: "system", content: "s" },
          { type: "user", content: "hello" },
        ],
      },
      "chat",
      {
        kind: "messages",
        messages: [
          { type: "system", content: "s" },
          { type: "user", content: "hello\n\nBriefly." },
        ],
      },
    ],
    [
      "messages that end with another's",
      { content: null, messages: [{ type: "system", content: "s" }] },
      "chat",
      {
        kind: "messages",
        messages: [
          { type: "system", content: "s" },
          { type: "user", content: "Briefly." },
        ],
      },
    ],
    [
      "messages for a text model",
      { content: null, messages: [{ type: "user", content: "hello" }] },
      "text",
      { kind: "text", text: "User: hello\n\nBriefly.\n\nAssistant:" },
    ],
  ])("puts a follow-up below %s", async (_, fields, family, sent) => {
    const model = fakeModel("ok", family);
    await tasksOf([prompt("", fields)]).run(request(model, { followUp: "Briefly." }));
    expect(model.calls[0]?.prompt).toEqual(sent);
  });

  it("counts a follow-up towards the length of a prompt", async () => {
    const tasks = tasksOf([prompt("12345", { max_length: 14 })]);
    await expect(tasks.run(request(fakeModel("ok"), { followUp: "1234567" }))).resolves.toMatchObject({ text: "ok" });
    const tooLong = tasks.run(request(fakeModel("ok"), { followUp: "12345678" }));
    await expect(tooLong).rejects.toMatchObject({ code: "PR-107" });
  });

  it("adapts texts to chat models and messages to text models", async () => {
    const chat = fakeModel("ok");
    await tasksOf([prompt("hello")]).run(request(chat));
    expect(chat.calls[0]?.prompt).toEqual({ kind: "messages", messages: [{ type: "user", content: "hello" }] });
    const text = fakeModel("ok", "text");
    const messages = [{ type: "system", content: "Be kind." } as const, { type: "user", content: "hello" } as const];
    await tasksOf([prompt(null, { messages })]).run(request(text));
    expect(text.calls[0]?.prompt).toEqual({ kind: "text", text: "Be kind.\n\nUser: hello\n\nAssistant:" });
  });

  it("renders after the template engine is loaded", async () => {
    const tasks = tasksOf([prompt("{{ own }}")]);
    await tasks.load();
    expect(tasks.render({ ...request(fakeModel("", "text")), variables: { own: 3 } }).prompt).toEqual({
      kind: "text",
      text: "3",
    });
  });
});

describe("the length limit", () => {
  const turns = (count: number): GuardrailsEvent[] => {
    return Array.from({ length: count }, (_, turn): GuardrailsEvent[] => [
      { type: "UtteranceUserActionFinished", text: `raw${turn}` },
      user(`user${turn}`),
      { type: "UserIntent", text: `intent${turn}` },
    ]).flat();
  };

  it.each([
    [3, 1000, "raw0"],
    [3, 40, "raw1"],
    [3, 25, "raw2"],
    [2000, 16000, "raw"],
    [2000, 100, "raw1997"],
  ])("of %i turns and %i characters leaves whole turns, from %j on", async (count, maximum, first) => {
    const model = fakeModel("ok", "text");
    await tasksOf([prompt("{{ history | colang }}", { max_length: maximum })]).run(
      request(model, { events: turns(count) }),
    );
    const sent = model.calls[0]?.prompt;
    const text = sent?.kind === "text" ? sent.text : "";
    expect(text.startsWith(first)).toBe(true);
    expect(text.endsWith(`intent${count - 1}`)).toBe(true);
    expect(text.length).toBeLessThanOrEqual(maximum);
    // One more turn would have been too much.
    const turnLength = `raw${count}\nuser${count}\nintent${count}\n`.length;
    expect(text.startsWith("raw0") || text.length + turnLength > maximum).toBe(true);
  });

  it("keeps messages outside of turns while there is room, and drops them first", async () => {
    const events = [{ type: "StartUtteranceBotAction", text: "greeting" }, ...turns(1)];
    const run = async (maximum: number): Promise<string> => {
      const model = fakeModel("ok", "text");
      await tasksOf([prompt("{{ history | colang }}", { max_length: maximum })]).run(request(model, { events }));
      const sent = model.calls[0]?.prompt;
      return sent?.kind === "text" ? sent.text : "";
    };
    expect(await run(100)).toContain("greeting");
    expect(await run(20)).not.toContain("greeting");
  });

  it.each(["{{ history | colang }}", "{{ own }}"])("is an error when %j does not fit without them", async (content) => {
    const tasks = tasksOf([prompt(content, { max_length: 10 })]);
    const model = fakeModel("ok", "text");
    const failing = tasks.run(request(model, { events: [user("x".repeat(11))], variables: { own: "x".repeat(11) } }));
    await expect(failing).rejects.toMatchObject({ code: "PR-107", maximum: 10 });
    await expect(failing).rejects.toBeInstanceOf(LimitError);
    expect(model.calls).toEqual([]);
  });

  it.each([
    [50, 5, "raw"],
    [3, 100, "raw0"],
    [400, 60, "raw"],
  ])("of %i turns and %i tokens, as the model counts them", async (count, tokens, first) => {
    const counted: string[] = [];
    // A word is a token.
    const countTokens = (text: string): Promise<number> => {
      counted.push(text);
      return Promise.resolve(text.split(/\s+/).length);
    };
    const model = { ...fakeModel("ok", "text"), countTokens };
    const content = "{{ history | colang }}";
    await tasksOf([prompt(content, { max_prompt_tokens: tokens })]).run(request(model, { events: turns(count) }));
    const sent = model.calls[0]?.prompt;
    const text = sent?.kind === "text" ? sent.text : "";
    expect(text.startsWith(first)).toBe(true);
    expect(text.endsWith(`intent${count - 1}`)).toBe(true);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(tokens);
    expect(counted.at(-1)).toBe(text);
    expect(counted.length).toBeLessThan(8);
  });

  it("estimates the tokens where the model cannot count", async () => {
    const model = fakeModel("ok", "text");
    const content = "{{ history | colang }}";
    await tasksOf([prompt(content, { max_prompt_tokens: 10 })]).run(request(model, { events: turns(9) }));
    const sent = model.calls[0]?.prompt;
    expect(sent).toEqual({ kind: "text", text: "raw8\nuser8\nintent8" });
  });

  it("is an error with the available characters if the last turn has too many tokens", async () => {
    const tasks = tasksOf([prompt("{{ own }}", { max_prompt_tokens: 10 })]);
    const model = fakeModel("ok", "text");
    const failing = tasks.run(request(model, { variables: { own: "x".repeat(300) } }));
    await expect(failing).rejects.toMatchObject({ code: "PR-107", limit: "max_prompt_tokens", maximum: 28 });
    await expect(failing).rejects.toThrow("prompt of task `t` is longer than its budget of 10 tokens");
    expect(model.calls).toEqual([]);
  });

  it("tries only a few lengths, however long the conversation is", async () => {
    let renderings = 0;
    let printed = 0;
    const historyPrinter = (events: readonly GuardrailsEvent[]): string => {
      renderings += 1;
      printed += events.length;
      return events.map((event) => String(event["text"])).join("\n");
    };
    const tasks = tasksOf([prompt("{{ history | colang }}", { max_length: 500 })], { historyPrinter });
    await tasks.run(request(fakeModel("ok", "text"), { events: turns(20_000) }));
    expect(renderings).toBeLessThan(12);
    expect(printed).toBeLessThan(1000);
  });
});

describe("the call", () => {
  it("classifies at the lowest temperature for any parameters of the caller", async () => {
    const model = fakeModel("ok");
    await tasksOf([prompt("x")]).run(request(model, { parameters: { extra: { temperature: 1, top_p: 0.5 } } }));
    expect(model.calls[0]?.parameters).toEqual({ temperature: 0.001, extra: { top_p: 0.5 } });
  });

  it.each(["general", "generate_bot_message"])("leaves %s to the caller and the model", async (task) => {
    const model = fakeModel("ok");
    const extra = { temperature: 1 };
    await tasksOf([prompt("x", { task })]).run(request(model, { task, parameters: { extra } }));
    expect(model.calls[0]?.parameters).toEqual({ extra });
  });

  it("uses the tokens of the prompt, joins stop sequences and truncates at them itself", async () => {
    const model = fakeModel("answer\nUser: more");
    const tasks = tasksOf([prompt("x", { max_tokens: 7, stop: ["User:", "\n\n"] })]);
    const parameters = { maxTokens: 100, temperature: 0.5, stop: ["\nUser:", "User:"] };
    const { text, parsed, completion } = await tasks.run(request(model, { parameters }));
    expect(model.calls[0]?.parameters).toEqual({ temperature: 0.5, maxTokens: 7, stop: ["User:", "\n\n", "\nUser:"] });
    expect([text, parsed, completion.text]).toEqual(["answer", "answer", "answer\nUser: more"]);
  });

  it("applies the parser of the prompt", async () => {
    const intent = tasksOf([prompt("x", { output_parser: "user_intent" })]);
    expect((await intent.run(request(fakeModel("User intent: greet")))).text).toBe("  greet");
    const check = tasksOf([prompt("x", { output_parser: "is_content_safe" })]);
    expect(await check.run(request(fakeModel("No.")))).toMatchObject({
      text: "No.",
      parsed: { ok: true, verdict: "allow" },
      outputParser: "is_content_safe",
    });
    const own = tasksOf([prompt("x", { output_parser: "mine" })], { outputParsers: { mine: (text) => `<${text}>` } });
    expect((await own.run(request(fakeModel("a")))).text).toBe("<a>");
  });

  it("records the call, and checks the limit before it", async () => {
    const calls: LlmCallRecord[] = [];
    let asked = 0;
    const scope = { record: (call: LlmCallRecord) => calls.push(call), beforeCall: () => (asked += 1) };
    await tasksOf([prompt("x")]).run(request(fakeModel("ok"), { scope }));
    expect(asked).toBe(1);
    expect(calls).toEqual([
      {
        task: "t",
        model: "one",
        provider: "fake",
        prompt: "[user]\nx",
        completion: "ok",
        startedAt: 5,
        finishedAt: 10,
        durationMs: 5,
      },
    ]);
  });

  it("does not call a model when the turn has spent its calls", async () => {
    const model = fakeModel("ok");
    const limit = new LimitError("spent", { limit: "llmCallsPerTurn", maximum: 1 });
    const scope = {
      beforeCall: (): never => {
        throw limit;
      },
    };
    await expect(tasksOf([prompt("x")]).run(request(model, { scope }))).rejects.toBe(limit);
    expect(model.calls).toEqual([]);
  });
});

describe("failures", () => {
  it("of the provider become model errors, once", async () => {
    const cause = new Error("429");
    const failing = tasksOf([prompt("x")]).run(request(fakeModel(cause)));
    await expect(failing).rejects.toMatchObject({ code: "RL-301", task: "t", cause });
    const ours = new ModelError("known", { task: "t" });
    await expect(tasksOf([prompt("x")]).run(request(fakeModel(ours)))).rejects.toBe(ours);
  });

  it("of an aborted call are its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    controller.abort(reason);
    const model = fakeModel("ok");
    const failing = tasksOf([prompt("x")]).run(request(model, { scope: { signal: controller.signal } }));
    await expect(failing).rejects.toBe(reason);
    expect(model.calls).toEqual([]);
  });

  it.each([
    ["PR-105", prompt("x", { task: "other" })],
    ["PR-106", prompt("x", { output_parser: "nope" })],
    ["PR-103", prompt("{{ x | nope }}")],
    ["PR-101", prompt("{{ x.y() }}")],
    ["PR-101", prompt("{{ 1 + general_instructions }}")],
  ])("have code %s", async (code, entry) => {
    await expect(tasksOf([entry]).run(request(fakeModel("ok")))).rejects.toMatchObject({ code });
  });

  it("reports which tasks have prompts", () => {
    const tasks = tasksOf([prompt("x")]);
    expect(["t", "general", "fact_checking", "nope", "constructor"].map((task) => tasks.has(task))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
