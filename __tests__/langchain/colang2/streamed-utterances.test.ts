import { describe, expect, it } from "@jest/globals";
import { AIMessageChunk, type AIMessageChunkFields, HumanMessage } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import * as fc from "fast-check";
import { type Guardrails, GuardrailViolationError, verdictOf } from "../../../src/index.js";
import type { GuardrailsMetadata } from "../../../src/turn/decision.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "../streaming/chunked-model.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { guardrails2, type Options2 } from "./guardrails-2x.js";
import { propertyRuns } from "../../support/property-runs.js";

const asked = [new HumanMessage("hi")];
const stream = async (guardrails: Guardrails, messages = asked, options = {}): Promise<AIMessageChunk[]> =>
  drain((await guardrails.stream(messages, options)) as AsyncIterable<AIMessageChunk>);
const textsOf = (chunks: readonly AIMessageChunk[]): unknown[] => chunks.map(({ content }) => content);
const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A dialog that runs these steps for every user message. */
const dialog = (...steps: string[]): string => `
flow main
  activate answering

flow answering
  user said something
${steps.map((step) => `  ${step}`).join("\n")}
`;
const say = (...texts: string[]): string => dialog(...texts.map((text) => `bot say ${JSON.stringify(text)}`));
const judged: Options2 = { input: [], output: ["judge answer"] };

/** The parts of a message that can be compared: all but ids and times. */
function plain(message: AIMessageChunk): object {
  const { guardrails, ...metadata } = message.response_metadata as { guardrails?: GuardrailsMetadata };
  const { events: _events, ...verdict } = guardrails ?? { decisions: [] };
  const decisions = verdict.decisions.map(({ durationMs: _time, ...rest }) => rest);
  const { id: _id, ...data } = message.toDict().data;
  return { ...data, response_metadata: { ...metadata, verdict: { ...verdict, decisions } } };
}

describe("bot utterances stream as soon as flows emit them", () => {
  it("while the flow continues: its next action waits for no reader", async () => {
    let finish = (): void => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    const guardrails = await guardrails2({
      ...judged,
      colang: dialog('bot say "Let me see."', "await LookUpAction()", 'bot say "Found it."'),
      actions: { look_up: () => done },
    });
    const reader = (await guardrails.stream(asked))[Symbol.asyncIterator]();
    expect(((await reader.next()).value as AIMessageChunk).content).toBe("Let me see.");
    finish();
    const rest: string[] = [];
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      rest.push((next.value as AIMessageChunk).text);
    }
    expect(rest).toEqual(["\nFound it.", ""]);
  });

  it.each<[string, Options2, string[]]>([
    ["one text after the other", { ...judged, colang: say("one", "two", "three") }, ["one", "\ntwo", "\nthree", ""]],
    ["without output rails", { input: [], output: [], colang: say("one", "bad") }, ["one", "\nbad", ""]],
    ["as rails left it", { input: [], colang: say("pin 12", "pin 34") }, ["pin **", "\npin **", ""]],
    ["a block after emitted text", { ...judged, colang: say("one", "bad") }, ["one", "\nREFUSED"]],
    ["a block at once", { ...judged, colang: say("bad", "one") }, ["REFUSED"]],
    [
      "bypassing `bot say`",
      { ...judged, colang: dialog('await UtteranceBotAction(script="a")', 'bot say "b"') },
      ["a", "\nb", ""],
    ],
    [
      "a block bypassing `bot say`",
      { ...judged, colang: dialog('bot say "a"', 'await UtteranceBotAction(script="bad")', 'bot say "b"') },
      ["a", "\nREFUSED\nb"],
    ],
    [
      "at once where it is buffered",
      { ...judged, colang: say("one", "two"), streaming: { mode: "buffer" } },
      ["one\ntwo"],
    ],
    ["nothing", { ...judged, colang: dialog("pass") }, [""]],
    [
      "the refusal of a flow `output rails` of the program with what follows",
      {
        input: [],
        output: [],
        colang: `import guardrails\n${say("one", "bad", "two")}
flow output rails $output_text
  if search("bad", $output_text)
    bot say "NO"
    abort`,
      },
      ["one\nNO"],
    ],
  ])("%s", async (_, options, expected) => {
    const guardrails = await guardrails2(options);
    const chunks = await stream(guardrails);
    expect(textsOf(chunks)).toEqual(expected);
    expect(chunks.filter((chunk) => verdictOf(chunk) !== undefined)).toEqual([chunks.at(-1)]);
    const whole = chunks.reduce((left, right) => concat(left, right));
    expect(plain(whole)).toEqual(plain((await guardrails.invoke(asked)) as AIMessageChunk));
    if (options.output?.length !== 0) expect(visibleJson(chunks)).not.toMatch(/bad|pin \d/);
  });

  it.each<[string, Options2, string[]]>([
    ["listed rails on the answer", { ...judged, colang: say("one", "bad") }, ["one"]],
    ["listed rails on the input", { input: ["check words"], output: [], colang: say("one") }, []],
    [
      "rails of the program on the input",
      {
        input: [],
        output: [],
        colang: `import guardrails\n${say("one")}
flow input rails $input_text
  bot say "NO"
  abort`,
      },
      [],
    ],
    [
      "an exception that replaces the utterance",
      { ...judged, colang: dialog('bot say "one"', 'send CustomException(message="enough")', 'bot say "two"') },
      [],
    ],
  ])("no refusal is emitted if a block throws an error: %s", async (_, options, expected) => {
    const guardrails = await guardrails2({ ...options, onBlocked: "throw" });
    const seen: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of await guardrails.stream([new HumanMessage("bad")])) {
        seen.push((chunk as AIMessageChunk).content);
      }
    };
    const error: unknown = await reading().catch((thrown: unknown) => thrown);
    expect(GuardrailViolationError.isInstance(error)).toBe(true);
    expect(seen).toEqual(expected);
  });

  it("the turn continues only as far as it is read", async () => {
    let looks = 0;
    const steps = Array.from({ length: 6 }, (_, index) => [`bot say "text ${index}"`, "await LookUpAction()"]);
    const guardrails = await guardrails2({
      ...judged,
      colang: dialog(...steps.flat()),
      actions: { look_up: () => void (looks += 1) },
    });
    const thread = { configurable: { thread_id: "t" } };
    const reader = (await guardrails.stream(asked, thread))[Symbol.asyncIterator]();
    await reader.next();
    for (let turn = 0; turn < 30; turn += 1) await turnOfLoop();
    expect(looks).toBeLessThan(4);
    const before = looks;
    await reader.return?.();
    for (let turn = 0; turn < 10; turn += 1) await turnOfLoop();
    expect(looks).toBe(before);
    const { log } = await guardrails.generate("again", { log: { colangHistory: true } }, thread);
    expect(log?.colangHistory?.match(/text 0/g)).toHaveLength(1);
  });

  it("callbacks receive them in the same order", async () => {
    const guardrails = await guardrails2({ ...judged, colang: say("one", "two") });
    const seen: unknown[] = [];
    for await (const event of guardrails.streamEvents(asked, { version: "v2" })) {
      if (event.event === "on_chain_stream") seen.push((event.data.chunk as AIMessageChunk).content);
    }
    expect(seen).toEqual(["one", "\ntwo", ""]);
  });

  it("for any utterances and rails", async () => {
    const texts = fc.array(fc.constantFrom("one", "two 2", "bad", "three", " ", "four\nlines"), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(texts, fc.subarray(["judge answer", "hide digits of answer"]), async (said, output) => {
        const guardrails = await guardrails2({ input: [], output, colang: dialog(...said.map(sayStep), "pass") });
        const whole = (await guardrails.invoke(asked)) as AIMessageChunk;
        const joined = (await stream(guardrails)).reduce((left, right) => concat(left, right));
        expect(plain(joined)).toEqual(plain(whole));
      }),
      { numRuns: propertyRuns(6) },
    );
  });
});

const sayStep = (text: string): string => `bot say ${JSON.stringify(text)}`;

describe("a guarded model whose configuration has a dialog", () => {
  const colang = (...steps: string[]): string =>
    dialog(...steps.slice(0, 1), "$answer = await AnswerUserAction()", ...steps.slice(1));
  const model = (): ChunkedModel =>
    new ChunkedModel([
      new AIMessageChunk({ content: "two ", id: "m" }),
      new AIMessageChunk({
        content: "words",
        id: "m",
        usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      } as AIMessageChunkFields),
    ]);

  it.each<[string, string, string[]]>([
    ["a text of a flow, then the model's", colang('bot say "Well:"', "bot say $answer"), ["Well:", "\ntwo words", ""]],
    [
      "the model's, then a text of a flow",
      colang("pass", "bot say $answer", 'bot say "Done."'),
      ["two words", "\nDone.", ""],
    ],
    ["the model's own message", colang("pass", "bot say $answer"), ["two words"]],
    ["flows alone", say("one", "two"), ["one", "\ntwo", ""]],
  ])("%s", async (_, source, expected) => {
    const guarded = (await guardrails2({ ...judged, colang: source })).wrap(model());
    const chunks = await drain(await guarded.stream(asked));
    expect(textsOf(chunks)).toEqual(expected);
    const whole = chunks.reduce((left, right) => concat(left, right));
    expect(plain(whole)).toEqual(plain(await guarded.invoke(asked)));
  });
});

describe("a configuration without a dialog, with its own model", () => {
  const windows = { chunkSize: 2, contextSize: 1 };

  it.each<[string, Options2, string[], string[]]>([
    ["window by window", judged, ["a", "b", "c", "d", "e"], ["a", "b", "c", "d", "e", ""]],
    ["token by token without rails", { input: [], output: [] }, ["a", "b"], ["a", "b", ""]],
    ["until a block", judged, ["a", "b", "bad", "c", "d"], ["a", "b", "REFUSED"]],
    ["passthrough", { ...judged, settings: { passthrough: true } }, ["a", "b", "c"], ["a", "b", "c", ""]],
    ["as a whole where a rail rewrites", { input: [] }, ["a", "1", "b"], ["a*b"]],
  ])("%s", async (_, options, words, expected) => {
    const llm = new ChunkedModel(words);
    const guardrails = await guardrails2({ streaming: windows, llm, ...withRails(options) });
    expect(textsOf(await stream(guardrails))).toEqual(expected);
    await turnOfLoop();
    expect(llm.made).toBeLessThanOrEqual(words.length);
    expect(llm.signals[0]?.aborted).toBe(expected.at(-1) === "REFUSED");
  });

  it("waits for the verdict if the response starts early", async () => {
    let begun = (): void => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const order: string[] = [];
    const llm = new ChunkedModel(["a", "b", "c"]);
    llm.before = () => begun();
    const guardrails = await guardrails2({
      llm,
      settings: {
        rails: { input: { flows: ["judge words"], speculative: true }, output: { flows: ["judge answer"] } },
      },
      colang: `
flow judge words
  global $user_message
  $allowed = await JudgeWordsAction(text=$user_message)
  if not $allowed
    abort`,
      streaming: windows,
      onCheck: (text) => (text === "hi" ? isBegun.then(() => order.push("verdict")) : undefined),
    });
    for await (const chunk of await guardrails.stream(asked)) order.push(String((chunk as AIMessageChunk).content));
    expect(order).toEqual(["verdict", "a", "b", "c", ""]);
    expect(llm.signals).toHaveLength(1);
  });
});

/** Settings replace the rails, so they contain them. */
function withRails({ settings, ...options }: Options2): Options2 {
  if (settings === undefined) return options;
  const rails = { input: { flows: options.input ?? [] }, output: { flows: options.output ?? [] } };
  return { ...options, settings: { rails, ...settings } };
}
