import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import * as fc from "fast-check";
import { z } from "zod/v4";
import { Guardrails, type GuardrailsOptions, verdictOf } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "../streaming/chunked-model.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { propertyRuns } from "../../support/property-runs.js";

const COLANG = `
define bot refuse words
  "REFUSED"
define subflow check answer
  $noted = $bot_message
  $allowed = execute check_words(text=$bot_message)
  if not $allowed
    bot refuse words
    stop
define subflow hide words
  meta {"stream": "word"}
  $bot_message = execute hide_digits(text=$bot_message)
`;
const COLANG_2 = `
import core

flow check answer
  global $bot_message
  $allowed = await CheckWordsAction(text=$bot_message)
  if not $allowed
    bot say "REFUSED"
    abort

@meta(stream="word")
flow hide words
  global $bot_message
  $bot_message = await HideDigitsAction(text=$bot_message)
`;

interface Setup extends GuardrailsOptions {
  readonly version?: "1.0" | "2.x";
  readonly apply?: boolean;
  readonly output?: readonly string[];
  readonly seen?: string[];
}

/** The texts that the last test requested. */
let observed: string[] = [];
const loaded = new Map<string, Promise<Guardrails>>();

/** Guardrails that are loaded once for the same options; a model has state of its own. */
function open({ seen = [], ...setup }: Setup = {}): Promise<Guardrails> {
  observed = seen;
  if (setup.llm !== undefined) return load(setup);
  const key = JSON.stringify(setup);
  const guardrails = loaded.get(key) ?? load(setup);
  loaded.set(key, guardrails);
  return guardrails;
}

function load({ version = "1.0", apply = true, output, ...options }: Setup): Promise<Guardrails> {
  const names =
    version === "1.0" ? (["check_words", "hide_digits"] as const) : (["CheckWordsAction", "HideDigitsAction"] as const);
  const flows = [...(output ?? ["check answer", "hide words"])];
  const rails = { output: { flows, apply_to_reasoning_traces: apply } };
  return Guardrails.fromConfig(
    version === "1.0"
      ? { colang: COLANG, config: { rails } }
      : { colang: COLANG_2, config: { colang_version: "2.x", rails } },
    {
      ...options,
      actions: {
        [names[0]]: defineAction({ name: names[0], verdict: true }, ({ text }) => {
          observed.push(String(text));
          return !String(text).includes("bad");
        }),
        [names[1]]: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
      },
    },
  );
}

/** A message with reasoning, in the forms of providers. */
const FORMS: readonly [string, (reasoning: string) => ConstructorParameters<typeof AIMessage>[0] & object][] = [
  ["next to the content", (reasoning) => ({ content: "ok 5", additional_kwargs: { reasoning_content: reasoning } })],
  [
    "as a summary next to the content",
    (reasoning) => ({
      content: "ok 5",
      additional_kwargs: {
        reasoning: { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: reasoning }] },
      },
    }),
  ],
  [
    "as details next to the content",
    (reasoning) => ({
      content: "ok 5",
      additional_kwargs: {
        reasoning_details: [{ type: "reasoning.text", text: reasoning, format: "unknown", index: 0 }],
      },
    }),
  ],
  [
    "as a block",
    (reasoning) => ({
      content: [
        { type: "reasoning", reasoning: reasoning },
        { type: "text", text: "ok 5" },
      ] as never,
    }),
  ],
  [
    "as a block that is signed",
    (reasoning) => ({
      content: [
        { type: "thinking", thinking: reasoning, signature: "c2lnbmVk" },
        { type: "text", text: "ok 5" },
      ] as never,
    }),
  ],
  [
    "as a block inside another",
    (reasoning) => ({
      content: [{ type: "text", text: "ok 5", parts: [{ type: "thinking", thinking: reasoning }] }] as never,
    }),
  ],
];

describe.each(["1.0", "2.x"] as const)("texts of reasoning that output rails review (Colang %s)", (version) => {
  it.each(FORMS)("are emitted if they passed: %s", async (_, form) => {
    const seen: string[] = [];
    const guardrails = await open({ version, seen });
    const given = new AIMessage(form("so I add"));
    const result = await guardrails.wrap(scriptedModel([given])).invoke("hi");
    expect(seen).toEqual(["so I add", "ok *"]);
    expect([result.text, visibleJson([result.content, result.additional_kwargs])]).toEqual([
      "ok *",
      visibleJson([given.content, given.additional_kwargs]).replace("ok 5", "ok *"),
    ]);
    const decisions = verdictOf(result)?.decisions ?? [];
    expect(decisions.map(({ rail, about, status }) => [rail, about, status])).toEqual([
      ["hide words", "reasoning", "passed"],
      ["check answer", "reasoning", "passed"],
      ["hide words", undefined, "modified"],
      ["check answer", undefined, "passed"],
    ]);
  });

  it.each(FORMS)("are masked if a rail masks: %s", async (_, form) => {
    const guardrails = await open({ version });
    const result = await guardrails.wrap(scriptedModel([new AIMessage(form("the pin is 12"))])).invoke("hi");
    expect(visibleJson([result.content, result.additional_kwargs])).toContain("the pin is **");
    expect(visibleJson(result)).not.toMatch(/12|c2lnbmVk/);
    expect(result.text).toBe("ok *");
  });

  it.each(FORMS)("block the response if a rail blocks: %s", async (_, form) => {
    const guardrails = await open({ version });
    const result = await guardrails.wrap(scriptedModel([new AIMessage(form("a bad plan"))])).invoke("hi");
    expect(result.content).toBe("REFUSED");
    expect(visibleJson(result)).not.toMatch(/bad|plan|ok 5/);
    expect(verdictOf(result)).toMatchObject({ blocked: true, stage: "output", rail: "check answer" });
  });

  it("are not emitted if the setting is off", async () => {
    for (const [, form] of FORMS) {
      const guardrails = await open({ version, apply: false });
      const result = await guardrails.wrap(scriptedModel([new AIMessage(form("my plan"))])).invoke("hi");
      expect(result.text).toBe("ok *");
      expect(visibleJson(result)).not.toContain("plan");
    }
  });

  it("leave no trace in the conversation of the next turn", async () => {
    const guardrails = await open({ version });
    const thread = { configurable: { thread_id: "t" } };
    const model = scriptedModel([new AIMessage(FORMS[0]?.[1]("a bad plan of 12") ?? ""), "fine"]);
    const guarded = guardrails.wrap(model);
    await guarded.invoke("hi", thread);
    expect((await guarded.invoke("and now", thread)).text).toBe("fine");
    expect(visibleJson(model.calls.at(-1)?.messages)).not.toMatch(/bad|plan/);
  });

  it("keep their own variables, which do not affect the review of the response", async () => {
    if (version === "2.x") return;
    const guardrails = await open({ output: ["check answer"] });
    const { outputData } = await guardrails.generate(
      [
        { role: "user", content: "hi" },
        { role: "assistant", content: "ok" },
      ],
      {
        rails: ["output"],
        outputVars: ["noted"],
      },
    );
    expect(outputData).toEqual({ noted: "ok" });
  });

  it.each([
    ["text and a call", "ok"],
    ["only a call", ""],
  ])("are reviewed in a message with %s", async (_, content) => {
    const call = { name: "look", args: { reasoning: "kept 12" }, id: "1" };
    const asks = (reasoning: string) =>
      scriptedModel([
        new AIMessage({ content, additional_kwargs: { reasoning_content: reasoning }, tool_calls: [call] }),
      ]);
    const guardrails = await open({ version });
    const masked = await guardrails.wrap(asks("pin 12")).invoke("hi");
    expect(masked.additional_kwargs).toEqual({ reasoning_content: "pin **" });
    expect(masked.tool_calls).toMatchObject([call]);
    const blocked = await guardrails.wrap(asks("bad plan")).invoke("hi");
    expect([blocked.text, blocked.tool_calls]).toEqual(["REFUSED", []]);
    expect(visibleJson(blocked)).not.toContain("plan");
  });

  it("are reviewed in a response to a tool result", async () => {
    const messages = [
      new HumanMessage("look"),
      new AIMessage({ content: "", tool_calls: [{ name: "look", args: {}, id: "1" }] }),
      new ToolMessage({ content: "fine", tool_call_id: "1" }),
    ];
    const answer = (reasoning: string) =>
      new AIMessage({ content: "ok", additional_kwargs: { reasoning_content: reasoning } });
    const guarded = (await open({ version })).wrap(scriptedModel([answer("pin 12"), answer("bad plan")]));
    expect((await guarded.invoke(messages)).additional_kwargs).toEqual({ reasoning_content: "pin **" });
    const blocked = await guarded.invoke(messages);
    expect([blocked.text, visibleJson(blocked)]).toEqual(["REFUSED", expect.not.stringContaining("plan")]);
  });

  it("are emitted unchanged if the rails are disabled", async () => {
    const guardrails = await open({ version });
    const given = new AIMessage({ content: "ok 5", additional_kwargs: { reasoning_content: "bad 12" } });
    const result = await guardrails.wrap(scriptedModel([given])).invoke("hi", { rails: { output: false } });
    expect([result.content, result.additional_kwargs]).toEqual(["ok 5", { reasoning_content: "bad 12" }]);
  });
});

describe("reasoning in other shapes", () => {
  const answer = (reasoning: string) =>
    new AIMessage({ content: "ok 5", additional_kwargs: { reasoning_content: reasoning } });
  const data = (reasoning: string) => ({
    role: "assistant",
    content: "ok 5",
    additional_kwargs: { reasoning_content: reasoning },
  });
  const shapes: readonly [string, (reasoning: string) => unknown][] = [
    ["a message", answer],
    ["a list of messages", (reasoning) => [new HumanMessage("hi"), answer(reasoning)]],
    ["an object with a message", (reasoning) => ({ answer: answer(reasoning), more: 1 })],
    ["a state", (reasoning) => ({ messages: [new HumanMessage("hi"), answer(reasoning)] })],
    ["messages as plain data", (reasoning) => [{ role: "user", content: "hi" }, data(reasoning)]],
  ];

  it.each(shapes)("%s through a step", async (_, shape) => {
    const step = (await open()).output();
    const passed = await step.invoke(shape("so I add") as never);
    expect(visibleJson(passed)).toContain('"reasoning_content":"so I add"');
    const masked = await step.invoke(shape("pin 12") as never);
    expect(visibleJson(masked)).toContain('"reasoning_content":"pin **"');
    expect(visibleJson(masked)).not.toContain("12");
    const blocked = await step.invoke(shape("bad plan") as never);
    expect(visibleJson(blocked)).toContain("REFUSED");
    expect(visibleJson(blocked)).not.toContain("plan");
  });

  it.each(shapes)("%s of a wrapped chain", async (_, shape) => {
    const guardrails = await open();
    const run = (reasoning: string) =>
      guardrails.wrap(RunnableLambda.from(() => shape(reasoning)) as Runnable).invoke([new HumanMessage("hi")]);
    expect(visibleJson(await run("pin 12"))).toContain('"reasoning_content":"pin **"');
    const blocked = visibleJson(await run("bad plan"));
    expect(blocked).toContain("REFUSED");
    expect(blocked).not.toContain("plan");
  });

  it("structured output under `includeRaw`", async () => {
    const raw = (reasoning: string) =>
      new AIMessage({
        content: "",
        additional_kwargs: { reasoning_content: reasoning },
        tool_calls: [{ name: "extract", args: { dish: "bread" }, id: "1" }],
      });
    const schema = z.object({ dish: z.string() });
    const guardrails = await open();
    const ask = (reasoning: string) =>
      guardrails
        .wrap(scriptedModel([raw(reasoning)]))
        .withStructuredOutput(schema, { includeRaw: true })
        .invoke("hi");
    const masked = await ask("pin 12");
    expect([masked.parsed, masked.raw.additional_kwargs]).toEqual([{ dish: "bread" }, { reasoning_content: "pin **" }]);
    const blocked = await ask("bad plan");
    expect([blocked.parsed, blocked.raw.text]).toEqual([null, "REFUSED"]);
    expect(visibleJson(blocked)).not.toContain("plan");
  });

  it("the raw output of `generate`", async () => {
    const thoughtOf = async (reasoning: string, apply = true) => {
      const guardrails = await open({ apply, llm: scriptedModel([answer(reasoning)]) });
      const result = await guardrails.generate("hi", { llmOutput: true });
      expect(result.response).toBe("ok *");
      return [result.reasoningContent, visibleJson(result.llmOutput ?? null)];
    };
    expect((await thoughtOf("pin 12"))[0]).toBe("pin **");
    expect(await thoughtOf("bad plan")).toEqual([undefined, "null"]);
    expect((await thoughtOf("bad plan", false))[0]).toBeUndefined();
  });

  it("`check` reports the verdict over both", async () => {
    const guardrails = await open();
    expect(await guardrails.check(answer("so I add"))).toMatchObject({ status: "modified" });
    expect(await guardrails.check(answer("bad plan"))).toMatchObject({ status: "blocked" });
  });
});

describe.each(["1.0", "2.x"] as const)("texts of reasoning in a stream (Colang %s)", (version) => {
  const think = (reasoning: string) =>
    new AIMessageChunk({ content: "", id: "m", additional_kwargs: { reasoning_content: reasoning } });
  const block = (reasoning: string) =>
    new AIMessageChunk({ content: [{ type: "reasoning", reasoning: reasoning, index: 0 }] as never, id: "m" });
  const say = (text: string) => new AIMessageChunk({ content: [{ type: "text", text, index: 1 }] as never, id: "m" });
  const call = new AIMessageChunk({
    content: "",
    id: "m",
    tool_call_chunks: [{ name: "f", args: "{}", id: "t", index: 0 }],
  });
  const streaming = { chunkSize: 2, contextSize: 1 };
  const reasoningIn = (chunk: AIMessageChunk): string => String(chunk.additional_kwargs["reasoning_content"] ?? "");

  it("are emitted window by window, separate from the text", async () => {
    const seen: string[] = [];
    const guardrails = await open({ version, seen, output: ["check answer"], streaming });
    const model = new ChunkedModel([think("so "), think("I "), think("add"), "the ", "sum ", "is ", "9"]);
    const left: [string, string, number][] = [];
    for await (const chunk of await guardrails.wrap(model).stream("hi")) {
      if (reasoningIn(chunk) !== "" || chunk.text !== "") left.push([reasoningIn(chunk), chunk.text, seen.length]);
    }
    expect(seen).toEqual(["so I ", "I add", "the ", "the sum is ", "is 9"]);
    expect(left.map(([reasoning]) => reasoning).join("")).toBe("so I add");
    expect(left.map(([, text]) => text).join("")).toBe("the sum is 9");
    expect(left[0]).toEqual(["so ", "", 1]);
  });

  it("are never emitted before their window has passed", async () => {
    const guardrails = await open({ version, output: ["check answer"], streaming });
    const model = new ChunkedModel([think("so "), think("I "), think("bad "), think("plan"), "the ", "sum"]);
    const chunks = await drain(await guardrails.wrap(model).stream("hi"));
    expect(chunks.map(reasoningIn).join("")).toBe("so I ");
    expect(chunks.map(({ text }) => text).join("")).toBe("REFUSED");
    expect(visibleJson(chunks)).not.toMatch(/plan|sum/);
    expect(verdictOf(chunks.at(-1) as AIMessageChunk)).toMatchObject({ blocked: true, rail: "check answer" });
    expect(model.signals[0]?.aborted).toBe(true);
  });

  it.each<[string, readonly (string | AIMessageChunk)[]]>([
    ["reasoning and text", [think("so "), think("I "), think("add"), "the ", "sum ", "is ", "nine"]],
    [
      "reasoning that is masked",
      [think("pin "), think("1"), think("2 "), think("or "), think("3"), "the ", "sum ", "is ", "9"],
    ],
    [
      "reasoning among the blocks",
      [block("pin "), block("1"), block("2 "), block("or "), say("it "), say("is "), say("4")],
    ],
    ["reasoning before a call", [think("so "), think("I "), think("look "), think("12"), "a ", call]],
    ["nothing but reasoning and a call", [think("so "), think("I "), think("look "), think("12"), call]],
    [
      "one chunk",
      [new AIMessageChunk({ content: "it is 4", id: "m", additional_kwargs: { reasoning_content: "pin 12" } })],
    ],
    ["reasoning after the text", ["it ", "is ", "4", think("pin "), think("12")]],
    ["reasoning between texts", [think("one "), "it ", think("two "), "is ", think("three"), "4"]],
  ])("joined equal what invoke returns: %s", async (_, chunks) => {
    const guardrails = await open({ version, streaming });
    const guarded = guardrails.wrap(new ChunkedModel(chunks));
    const whole = (await drain(await guarded.stream("hi"))).reduce((left, right) => concat(left, right));
    const invoked = await guarded.invoke("hi");
    const said = ({ content, additional_kwargs, tool_calls, text }: AIMessageChunk) => ({
      content,
      additional_kwargs,
      tool_calls,
      text,
    });
    expect(said(whole)).toEqual(said(invoked));
    expect(visibleJson(whole)).not.toMatch(/12|[1-9](?=")/);
    const counted = (message: AIMessageChunk) =>
      (verdictOf(message)?.decisions ?? []).map(({ rail, about, status }) => [rail, about, status]);
    expect(counted(whole)).toEqual(expect.arrayContaining(counted(invoked)));
    expect(counted(whole)).toHaveLength(counted(invoked).length);
  });

  it("are not emitted if the setting is off", async () => {
    const guardrails = await open({ version, apply: false, streaming });
    const chunks = await drain(
      await guardrails.wrap(new ChunkedModel([think("my "), think("plan"), "fine"])).stream("hi"),
    );
    expect(chunks.map(({ text }) => text).join("")).toBe("fine");
    expect(visibleJson(chunks)).not.toContain("plan");
  });

  it.each<[string, GuardrailsOptions["streaming"] & object]>([
    ["the whole answer", { mode: "buffer" }],
    ["what is reviewed at the end", { mode: "passthrough" }],
  ])("are judged with %s", async (_, plan) => {
    const guardrails = await open({ version, output: ["check answer"], streaming: plan });
    const chunks = await drain(
      await guardrails.wrap(new ChunkedModel([think("a bad "), think("plan"), "fine"])).stream("hi"),
    );
    expect(verdictOf(chunks.at(-1) as AIMessageChunk)).toMatchObject({ blocked: true });
    expect(chunks.at(-1)?.text).toBe("REFUSED");
  });

  it("are equal for any division into chunks", async () => {
    const guardrails = await open({ version, output: ["hide words", "check answer"], streaming });
    const piece = fc.record({ reasoning: fc.stringMatching(/^[ a1]{0,3}$/), text: fc.stringMatching(/^[ a1]{0,3}$/) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const chunks = [{ reasoning: "", text: "so " }, ...pieces].flatMap(({ reasoning, text }) => [
          think(reasoning),
          new AIMessageChunk({ content: text, id: "m" }),
        ]);
        const guarded = guardrails.wrap(new ChunkedModel(chunks));
        const whole = (await drain(await guarded.stream("hi"))).reduce((left, right) => concat(left, right));
        const invoked = await guarded.invoke("hi");
        expect([reasoningIn(whole), whole.text]).toEqual([reasoningIn(invoked), invoked.text]);
        expect(`${reasoningIn(whole)}${whole.text}`).not.toContain("1");
      }),
      { numRuns: propertyRuns(6) },
    );
  });
});
