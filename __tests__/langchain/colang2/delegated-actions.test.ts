import { AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { concat } from "@langchain/core/utils/stream";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod/v4";
import { verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { guardrails2, type Options2 } from "./guardrails-2x.js";

const WEATHER = `
flow main
  activate weather

flow weather
  user said something as $heard
  $city = $heard.transcript
  start GetWeatherAction(city=$city) as $call
  match $call.Finished() as $done
  if $done.is_success
    bot say "It is {$done.return_value} there."
  else
    bot say "No idea: {$done.failure_reason}"
`;

const none = { input: [], output: [] };
const getWeather = tool(({ city }) => `sunny in ${city}`, {
  name: "get_weather",
  description: "the weather of a place",
  schema: z.object({ city: z.string() }),
});
const thread = (id: string) => ({ configurable: { thread_id: id } });
const weather = (options: Options2 = {}) => guardrails2({ colang: WEATHER, ...none, ...options });

describe("generate", () => {
  it("returns calls and accepts results, with the state of the caller", async () => {
    const guardrails = await weather();
    const first = await guardrails.generate([{ role: "user", content: "Rome" }], { state: {} });
    const call = {
      type: "tool_call",
      id: expect.any(String),
      name: "GetWeatherAction",
      args: { city: "Rome" },
    };
    expect(first.toolCalls).toEqual([call]);
    expect(first.response).toEqual([{ role: "assistant", content: "", tool_calls: [call] }]);
    const id = first.toolCalls?.[0]?.id ?? "";
    const second = await guardrails.generate([{ role: "tool", tool_call_id: id, content: "warm" }], {
      state: first.state,
    });
    expect(second.response).toEqual([{ role: "assistant", content: "It is warm there." }]);
    expect(second.toolCalls).toBeUndefined();
  });

  it("accepts the whole list of messages again", async () => {
    const guardrails = await weather();
    const asked = { role: "user", content: "Rome" } as const;
    const first = await guardrails.generate([asked], { state: {} });
    const answer = (first.response as readonly object[])[0] ?? {};
    const id = first.toolCalls?.[0]?.id ?? "";
    const result = { role: "tool", tool_call_id: id, content: "warm" } as const;
    const { response } = await guardrails.generate([asked, answer, result], { state: first.state });
    expect(response).toEqual([{ role: "assistant", content: "It is warm there." }]);
  });

  it("receives a user message next to a result", async () => {
    const colang = `
flow main
  activate echo
  activate slow

flow slow
  match Go()
  await SlowAction()
  bot say "done"

flow echo
  user said something as $heard
  bot say "received {$heard.transcript}"
`;
    const guardrails = await weather({ colang });
    const first = await guardrails.generate([{ role: "event", event: { type: "Go" } }], { state: {} });
    const id = first.toolCalls?.[0]?.id ?? "";
    const { response } = await guardrails.generate(
      [
        { role: "tool", tool_call_id: id, content: "x" },
        { role: "user", content: "hi" },
      ],
      { state: first.state },
    );
    expect(response).toEqual([{ role: "assistant", content: "done\nreceived hi" }]);
  });

  it("reports a failed tool to its flow", async () => {
    const guardrails = await weather();
    const first = await guardrails.generate("Rome", { state: {} });
    const id = first.toolCalls?.[0]?.id ?? "";
    const { response } = await guardrails.generate(
      [{ role: "tool", tool_call_id: id, content: "no line", status: "error" }],
      { state: first.state },
    );
    expect(response).toEqual([{ role: "assistant", content: "No idea: no line" }]);
  });

  it("reports events, and every request that no action performs", async () => {
    const colang = `
flow main
  user said "hi"
  send ShowLights(color="red")
  start GestureBotAction(gesture="wave")
  start DimAction(level=3) as $dim
  start BoilAction()
  send $dim.Stop()
  bot say "hello"
  match Never()
`;
    const { toolCalls, events, response } = await (await weather({ colang })).generate("hi", { state: {} });
    expect(response).toBe("hello");
    expect(toolCalls?.map(({ name, args }) => [name, args])).toEqual([
      ["GestureBotAction", { gesture: "wave" }],
      ["BoilAction", {}],
    ]);
    expect(events).toEqual([
      expect.objectContaining({ type: "ShowLights", color: "red" }),
      expect.objectContaining({ type: "StopDimAction" }),
    ]);
  });
});

describe("a guarded model", () => {
  it("calls the caller's tool, by invoke and by stream", async () => {
    const guardrails = await weather();
    const model = guardrails.wrap(scriptedModel([])).bindTools([getWeather]);
    const whole = await model.invoke("Rome", thread("a"));
    expect(whole.tool_calls).toEqual([
      { type: "tool_call", id: expect.any(String), name: "get_weather", args: { city: "Rome" } },
    ]);
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await model.stream("Rome", thread("b"))) chunks.push(chunk);
    expect(chunks.flatMap((chunk) => chunk.tool_call_chunks ?? [])).toEqual([
      { type: "tool_call_chunk", index: 0, id: expect.any(String), name: "get_weather", args: '{"city":"Rome"}' },
    ]);
    const joined = chunks.reduce((sum, chunk) => concat(sum, chunk));
    expect(joined.tool_calls?.map(({ name, args }) => [name, args])).toEqual([["get_weather", { city: "Rome" }]]);
  });

  it("passes the result to the requesting flow, and calls no model", async () => {
    const guardrails = await weather();
    const inner = scriptedModel([]);
    const model = guardrails.wrap(inner).bindTools([getWeather]);
    const asked = new HumanMessage("Rome");
    const first = await model.invoke([asked], thread("t"));
    const result = (await getWeather.invoke({ ...first.tool_calls![0]!, type: "tool_call" })) as ToolMessage;
    const answer = await model.invoke([asked, first, result], thread("t"));
    expect([answer.content, answer.tool_calls]).toEqual(["It is sunny in Rome there.", []]);
    const streamed: unknown[] = [];
    const again = await model.invoke("Oslo", thread("u"));
    const temperature = new ToolMessage({ content: "cold", tool_call_id: again.tool_calls![0]!.id! });
    for await (const chunk of await model.stream([new HumanMessage("Oslo"), again, temperature], thread("u"))) {
      streamed.push(chunk.content);
    }
    expect(streamed.join("")).toBe("It is cold there.");
    expect(inner.calls).toHaveLength(0);
  });

  it("passes results that no flow waits for to the model", async () => {
    const guardrails = await weather();
    const inner = scriptedModel(["Fine there."]);
    const asking = new AIMessage({ content: "", tool_calls: [{ id: "x1", name: "get_weather", args: {} }] });
    const result = new ToolMessage({ content: "fine", tool_call_id: "x1" });
    const answer = await guardrails.wrap(inner).invoke([new HumanMessage("Rome"), asking, result], thread("v"));
    expect(answer.content).toBe("Fine there.");
  });

  it("lets a flow ask the model about a result, with the texts as the input rails left them", async () => {
    const colang = `
flow main
  activate asking

flow asking
  user said something
  await GetWeatherAction()
  $answer = await AnswerUserAction()
  bot say $answer
`;
    const guardrails = await guardrails2({ colang, input: ["hide digits"], output: [] });
    const inner = scriptedModel(["So be it."]);
    const model = guardrails.wrap(inner);
    const first = await model.invoke("Rome 00100", thread("w"));
    const result = new ToolMessage({ content: "21 degrees", tool_call_id: first.tool_calls![0]!.id! });
    const answer = await model.invoke([new HumanMessage("Rome 00100"), first, result], thread("w"));
    expect(answer.content).toBe("So be it.");
    expect(inner.calls[0]?.messages.map(({ content }) => content)).toEqual(["Rome *****", "", "** degrees"]);
  });

  it("returns calls together with the model's own response, streamed too", async () => {
    const colang = `
flow main
  activate answering

flow answering
  user said something
  start NotifyAction(level=1) as $call
  $answer = await AnswerUserAction()
  bot say $answer
  match $call.Finished()
`;
    const guardrails = await guardrails2({ colang, ...none });
    const model = () => guardrails.wrap(scriptedModel(["two words"]));
    const names = ({ tool_calls: calls }: AIMessageChunk) => calls?.map(({ name, args }) => [name, args]);
    const whole = await model().invoke("hi");
    expect([whole.content, names(whole)]).toEqual(["two words", [["NotifyAction", { level: 1 }]]]);
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await model().stream("hi")) chunks.push(chunk);
    const joined = chunks.reduce((sum, chunk) => concat(sum, chunk));
    expect([joined.content, names(joined)]).toEqual(["two words", [["NotifyAction", { level: 1 }]]]);
  });

  it("reports gestures and events with the response, and to callbacks", async () => {
    const colang = `
flow main
  user said "hi"
  send ShowLights(color="red")
  bot gesture "wave" and bot say "hello"
  match Never()
`;
    const guardrails = await guardrails2({ colang: `import avatars\n${colang}`, ...none });
    const emitted: unknown[] = [];
    const answer = await guardrails.wrap(scriptedModel([])).invoke("hi", {
      callbacks: [
        { handleCustomEvent: (name: string, data: { type: string }) => void emitted.push([name, data.type]) },
      ],
    });
    expect(answer.tool_calls).toEqual([]);
    expect(verdictOf(answer)?.events?.map(({ type }) => type)).toEqual(["StartGestureBotAction", "ShowLights"]);
    expect(emitted).toEqual([
      ["guardrails.event", "StartGestureBotAction"],
      ["guardrails.event", "ShowLights"],
    ]);
  });
});

describe("other shapes", () => {
  it("invoke, wrap(chain) and objects of messages return calls", async () => {
    const guardrails = await weather();
    const spoken = (await guardrails.invoke([new HumanMessage("Rome")], thread("i"))) as AIMessage;
    expect(spoken.tool_calls?.[0]).toMatchObject({ name: "GetWeatherAction", args: { city: "Rome" } });
    const back = new ToolMessage({ content: "wet", tool_call_id: spoken.tool_calls![0]!.id! });
    const answer = (await guardrails.invoke([new HumanMessage("Rome"), spoken, back], thread("i"))) as AIMessage;
    expect(answer.content).toBe("It is wet there.");
    const chain = RunnableLambda.from(({ messages }: { messages: unknown[] }) => ({
      messages: [...messages, new AIMessage("unused")],
    }));
    const state = (await guardrails.wrap(chain).invoke({ messages: [new HumanMessage("Oslo")] })) as {
      messages: AIMessage[];
    };
    expect(state.messages.at(-1)?.tool_calls?.[0]).toMatchObject({ args: { city: "Oslo" } });
    expect(state.messages[0]?.content).toBe("Oslo");
  });
});

describe("rails on tools", () => {
  const ruled = (rules: Options2["toolRules"], more: Options2 = {}) =>
    weather({ ...(rules === undefined ? {} : { toolRules: rules }), ...more });

  it("refuse a call before it is emitted, and the flow continues", async () => {
    const guardrails = await ruled({ allowed: ["search"] });
    const answer = await guardrails.wrap(scriptedModel([])).bindTools([getWeather]).invoke("Atlantis", thread("r"));
    expect(answer.tool_calls).toEqual([]);
    expect(answer.content).toBe("No idea: blocked by a tool rail");
    expect(verdictOf(answer)).toMatchObject({ blocked: true, stage: "execution", rail: "tool call validation" });
    expect(JSON.stringify(verdictOf(answer))).not.toContain("Atlantis");
  });

  it("show nothing of a blocked call", async () => {
    const guardrails = await ruled({ allowed: ["search"] });
    const turn = await guardrails.generate("Atlantis", { state: {}, log: { internalEvents: true } });
    const request = turn.log.internalEvents?.find(({ type }) => type === "StartGetWeatherAction");
    expect(request).toMatchObject({ action_uid: expect.any(String) });
    expect(request).not.toHaveProperty("city");
    const { events } = await guardrails.flow("weather").invoke("Atlantis");
    expect(events.find(({ type }) => type === "StartGetWeatherAction")).not.toHaveProperty("city");
  });

  it("rewrite a call before it is emitted", async () => {
    const colang = `${WEATHER}
flow only rome
  global $tool_args
  $tool_args = {"city": "Rome"}
`;
    const settings = { rails: { tool_output: { flows: ["only rome"] } } };
    const { toolCalls } = await (await weather({ colang, settings })).generate("Oslo", { state: {} });
    expect(toolCalls?.map(({ args }) => args)).toEqual([{ city: "Rome" }]);
  });

  it("find the tool by its own name", async () => {
    const rules = { tools: { get_weather: { arguments: z.object({ city: z.enum(["Rome"]) }) } } };
    const guardrails = await ruled(rules);
    const ask = async (city: string) =>
      (await guardrails.generate(city, { state: {} })).toolCalls?.map(({ name }) => name);
    expect(await ask("Rome")).toEqual(["get_weather"]);
    expect(await ask("Oslo")).toBeUndefined();
  });

  it("review results too", async () => {
    const settings = { rails: { tool_input: { per_tool: { get_weather: ["regex check tool input"] } } } };
    const rules = { tools: { get_weather: { forbiddenInResults: ["secret"] } } };
    const guardrails = await ruled(rules, { settings });
    const first = await guardrails.generate("Rome", { state: {} });
    const id = first.toolCalls?.[0]?.id ?? "";
    const result = await guardrails.generate([{ role: "tool", tool_call_id: id, content: "a secret place" }], {
      state: first.state,
    });
    expect(result.guardrails).toMatchObject({ blocked: true, stage: "execution" });
    expect(result.response).toEqual([{ role: "assistant", content: "No idea: a rail blocked the result" }]);
    expect(JSON.stringify([result.response, result.state])).not.toContain("secret place");
  });

  it("cancel the calls of a blocked turn", async () => {
    const colang = `
flow main
  activate careless

flow careless
  user said something
  start PayAction(amount=5) as $pay
  bot say "this is bad"
  match $pay.Finished()
`;
    const guardrails = await guardrails2({ colang, input: [] });
    const { toolCalls, response, guardrails: verdict } = await guardrails.generate("go", { state: {} });
    expect([toolCalls, response, verdict.blocked]).toEqual([undefined, "REFUSED", true]);
    const emitted: string[] = [];
    const answer = await guardrails.wrap(scriptedModel([])).invoke("go", {
      callbacks: [{ handleCustomEvent: (name: string) => void emitted.push(name) }],
    });
    expect([answer.content, answer.tool_calls, emitted.includes("guardrails.event")]).toEqual(["REFUSED", [], false]);
  });
});

describe("an action that nothing runs", () => {
  it("is named by the reason of the empty reply", async () => {
    const colang = 'flow main\n  user said something\n  await CheckTermsAction()\n  bot say "hello"\n';
    const guardrails = await guardrails2({ colang, ...none });
    const { response, log } = await guardrails.generate("hi");
    expect([response, log.reason]).toEqual([
      "",
      "no flow said anything; not run here, but requested from the application: `CheckTermsAction`",
    ]);
  });
});
