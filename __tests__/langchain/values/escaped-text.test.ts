// Escapes of JSON, which parsers behind the rails undo.
import { describe, expect, it } from "@jest/globals";
import { AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { JsonOutputParser, StringOutputParser } from "@langchain/core/output_parsers";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { concat } from "@langchain/core/utils/stream";
import { Command } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import type { Guardrails } from "../../../src/index.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { EscapeWatch, releasedOf, withoutEscapes } from "../../../src/langchain/values/escaped-text.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";
import { ChunkedModel } from "../streaming/chunked-model.js";

const raw = String.raw;

describe("withoutEscapes", () => {
  it.each<[string, string | undefined]>([
    ["plain", undefined],
    [raw`\u0062ad`, "bad"],
    [raw`b\u0061\u0064`, "bad"],
    [raw`{"a": "\u00e9\ud83d\ude00"}`, '{"a": "é😀"}'],
    [raw`\u000a\u0022\u005c\u0000`, undefined],
    [raw`a line\nand a tab\t`, undefined],
    [raw`\\u0062ad`, undefined],
    [raw`\\\u0062ad`, raw`\\bad`],
    [raw`\u62a \underline{x}`, undefined],
    [raw`{"url": "https:\/\/x.org"}`, '{"url": "https://x.org"}'],
    [raw`  ["a\/b"]`, '  ["a/b"]'],
    [raw`the pattern /a\/b/`, undefined],
  ])("%j is read as %j", (text, decoded) => {
    expect(withoutEscapes(text)).toBe(decoded);
  });
});

describe("releasedOf", () => {
  const text = raw`{"a": "\u0062ad 5"}`;
  const decoded = '{"a": "bad 5"}';
  it.each<[string, string, string]>([
    ["nothing changed", `${text}\n${decoded}`, text],
    ["only the form without escapes changed", `${text}\n{"a": "*** 5"}`, '{"a": "*** 5"}'],
    ["both changed alike", `${raw`{"a": "\u0062ad *"}`}\n{"a": "bad *"}`, raw`{"a": "\u0062ad *"}`],
    ["only the text changed", `${raw`{"a": "… 5"}`}\n${decoded}`, '{"a": "… 5"}'],
    ["another text", "Sorry.", "Sorry."],
    ["a text was added", `${text}\n${decoded}\nBye.`, `${text}\nBye.`],
  ])("%s", (_, reviewed, released) => {
    expect(releasedOf(text, decoded, reviewed)).toBe(released);
  });
});

describe("EscapeWatch", () => {
  it.each<[readonly string[], readonly boolean[]]>([
    [
      ["plain", raw`\n`, raw`\underline`],
      [false, false, false],
    ],
    [
      ["a", raw`\u0062`, "b"],
      [false, true, false],
    ],
    [
      ["\\", "u00", "6", "2"],
      [false, true, false, false],
    ],
    [
      ["a", raw`\u`, "nderline"],
      [false, true, false],
    ],
    [
      ["\\", "under", "line", "0062"],
      [false, false, false, false],
    ],
    [
      ["\\", "", "u0062"],
      [false, false, true],
    ],
    [
      [" ", "{", "a\\", "/b"],
      [false, false, false, true],
    ],
    [
      ["a", raw`\/`],
      [false, false],
    ],
  ])("sees the escape in %j", (chunks, seen) => {
    const watch = new EscapeWatch();
    expect(chunks.map((chunk) => watch.sees(chunk))).toEqual(seen);
  });
});

const JSON_TEXTS: Readonly<Record<string, (word: string) => string>> = {
  "its last letter": (word) => word.slice(0, -1) + unit(word.slice(-1)),
  "all of it": (word) => [...word].map(unit).join(""),
};
const unit = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

type Make = (guardrails: Guardrails, model: ChunkedModel) => Runnable;
const json = new JsonOutputParser();
const text = new StringOutputParser();
const SURFACES: readonly (readonly [string, Make])[] = [
  ["wrap(model)", (guardrails, model) => guardrails.wrap(model).pipe(json)],
  ["wrap(chain)", (guardrails, model) => guardrails.wrap(model.pipe(text)).pipe(json)],
  ["wrap(chain of messages)", (guardrails, model) => guardrails.wrap(model.pipe(pass()) as Runnable).pipe(json)],
  ["pipe(output())", (guardrails, model) => model.pipe(text).pipe(guardrails.output<string>()).pipe(json)],
  [
    "wrap(object)",
    (guardrails, model) =>
      guardrails
        .wrap(RunnableLambda.from(async (q: string) => ({ answer: await model.pipe(text).invoke(q) })))
        .pipe(RunnableLambda.from(({ answer }: { answer: string }) => json.parse(answer))) as Runnable,
  ],
  [
    "wrap(list)",
    (guardrails, model) =>
      guardrails
        .wrap(RunnableLambda.from(async (q: HumanMessage[]) => [...q, new AIMessage((await model.invoke(q)).text)]))
        .pipe(RunnableLambda.from((list: AIMessage[]) => json.parse(list.at(-1)?.text ?? ""))) as Runnable,
  ],
];
const pass = () => RunnableLambda.from((chunk: AIMessageChunk) => chunk);
const WAYS = {
  invoke: (chain: Runnable, input: unknown) => chain.invoke(input),
  stream: async (chain: Runnable, input: unknown) => (await drain(await chain.stream(input))).at(-1) as unknown,
};

const VERSIONS: readonly Version[] = ["1.0", "2.x"];
describe.each(VERSIONS)("a word with escapes of JSON behind the rails of Colang %s", (version) => {
  const cells = SURFACES.flatMap(([name, make]) =>
    Object.entries(WAYS).flatMap(([way, run]) =>
      Object.entries(JSON_TEXTS).map(([escaped, write]) => ({ name, make, way, run, escaped, write })),
    ),
  );
  const replying = (answer: string, size: number): ChunkedModel =>
    new ChunkedModel(answer.match(new RegExp(`.{1,${size}}`, "gs")) ?? []);
  const askedOf = (name: string): unknown => (name === "wrap(list)" ? [new HumanMessage("hi")] : "hi");

  it.each(cells)("is blocked: $name, $way, $escaped", async ({ name, make, run, write }) => {
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
    for (const size of [3, 99]) {
      const chain = make(guardrails, replying(`{"a": "very ${write("bad")} words"}`, size));
      const result = await run(chain, askedOf(name)).catch((error: unknown) => error);
      // Partial JSON parses to nothing in a stream, and the refusal is not JSON.
      expect(result === undefined || result instanceof SyntaxError).toBe(true);
      expect(`${String(result)}`).not.toMatch(/words|bad/);
    }
  });

  const whole = cells.filter(({ escaped }) => escaped === "all of it");
  it.each(whole)("is masked, and the JSON stays valid: $name, $way", async ({ name, make, run, write }) => {
    const guardrails = await realGuardrails({ version, input: [], output: ["hide digits of answer"] });
    for (const size of [2, 99]) {
      const chain = make(guardrails, replying(`{"a": "call ${write("42")} now"}`, size));
      expect(await run(chain, askedOf(name))).toEqual({ a: "call ** now" });
    }
  });

  it.each([1, 2, 3, 5, 6, 7])("is masked in a stream of words, in pieces of %i characters", async (size) => {
    const streaming = { chunkSize: 1, contextSize: 1 };
    const guardrails = await realGuardrails({ version, input: [], output: ["hide digits of words"], streaming });
    for (const [, make] of SURFACES.slice(0, 4)) {
      const chain = make(guardrails, replying(`{"a": "call now ${[..."42"].map(unit).join("")} please"}`, size));
      expect((await drain(await chain.stream("hi"))).at(-1)).toEqual({ a: "call now ** please" });
    }
  });

  it.each(Object.entries(WAYS))("is reviewed in the response of the configuration's own model: %s", async (_, run) => {
    const llm = new ChunkedModel([raw`{"a": "very \u0062ad 5"}`]);
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"], llm });
    const textOf = RunnableLambda.from((chunk: { content: unknown }) => String(chunk.content));
    expect(await run(guardrails.pipe(textOf) as Runnable, [new HumanMessage("hi")])).toBe("REFUSED");
  });

  it("stays as it is if rails change nothing", async () => {
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
    const answer = raw`{"name": "Ren\u00e9", "mood": "\ud83d\ude00"}`;
    const guarded = guardrails.wrap(replying(answer, 4));
    expect((await guarded.invoke("hi")).content).toBe(answer);
    const chunks = await drain(await guarded.stream("hi"));
    expect(chunks.reduce((left, right) => concat(left, right)).content).toBe(answer);
  });

  it("does not delay the text before it, nor texts with other backslashes", async () => {
    const guardrails = await realGuardrails({
      version,
      input: [],
      output: ["check answer"],
      streaming: { chunkSize: 1, contextSize: 1 },
    });
    const released = async (chunks: readonly string[]) =>
      (await drain(await guardrails.wrap(new ChunkedModel(chunks)).stream("hi")))
        .map((chunk) => chunk.text)
        .filter((each) => each !== "");
    const plain = ["one ", raw`\n two`, raw` \underline`, " three"];
    expect(await released(plain)).toEqual(plain);
    const escaped = ["one ", "two ", raw`\u00e9`, " three"];
    expect((await released(escaped)).slice(0, 2)).toEqual(["one ", "two "]);
    expect((await released(escaped)).join("")).toBe(escaped.join(""));
  });
});

describe.each(VERSIONS)("the result of a tool with escapes of JSON in Colang %s", (version) => {
  type Run = (guardrails: Guardrails, result: string) => Promise<BaseMessage>;
  const call = { type: "tool_call" as const, name: "t", args: {}, id: "c1" };
  const toolOf = (make: () => unknown) =>
    tool(() => make() as string, { name: "t", description: "d", schema: z.object({}) });
  const inAgent = async (guardrails: Guardrails, make: () => unknown): Promise<BaseMessage> => {
    const model = scriptedModel([new AIMessage({ content: "", tool_calls: [call] }), "done"]);
    const agent = createAgent({ model, tools: [toolOf(make)], middleware: [guardrailsMiddleware(guardrails)] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("hi")] });
    expect(model.calls[1]?.messages.at(-1)?.content).toBe(messages.at(-2)?.content);
    return messages.at(-2) as BaseMessage;
  };
  const message = (content: string) => new ToolMessage({ content, tool_call_id: "c1" });
  const runs: readonly (readonly [string, Run])[] = [
    ["a guarded tool", (guardrails, result) => guardrails.tool(toolOf(() => result)).invoke(call)],
    ["a tool of an agent", (guardrails, result) => inAgent(guardrails, () => result)],
    ["a message", (guardrails, result) => inAgent(guardrails, () => message(result))],
    [
      "a command",
      (guardrails, result) => inAgent(guardrails, () => new Command({ update: { messages: [message(result)] } })),
    ],
  ];

  it.each(runs)("is blocked, masked or left as it is: %s", async (_, run) => {
    const reading = await toolGuardrails({ version, results: ["check result"] });
    expect((await run(reading, raw`{"a": "very \u0062ad words"}`)).content).toBe("REFUSED");
    const same = raw`{"a": "Ren\u00e9"}`;
    expect((await run(reading, same)).content).toBe(same);
    const masking = await toolGuardrails({ version, results: ["hide digits of result"] });
    const masked = await run(masking, `{"a": "call ${[..."42"].map(unit).join("")}"}`);
    expect(masked.content).toBe('{"a": "call **"}');
  });

  it("is read by the input rails of an agent without rails on results", async () => {
    const guardrails = await realGuardrails({ version, input: ["check words"], output: [] });
    expect((await inAgent(guardrails, () => raw`{"a": "\u0062ad"}`)).content).toBe("REFUSED");
  });
});
