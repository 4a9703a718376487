import { describe, expect, it } from "@jest/globals";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { memoryKnowledge } from "../../src/langchain/retrieval/knowledge-sources.js";
import { createMemoryIndex } from "../../src/langchain/retrieval/vector-index.js";
import { createRuntime } from "../../src/runtime/create/create-runtime.js";
import type { TurnMessage } from "../../src/turn/options.js";
import type { TurnResult } from "../../src/turn/result.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { openBench } from "./bench.js";
import {
  DEAF,
  type Piece,
  STALL,
  StreamingLanguageModel,
} from "../support/language-models/streaming-language-model.js";
import { expectNoUnhandledRejections } from "../support/unhandled-rejections.js";
import { playStreamedTurn, type StreamedTurn } from "./streamed-turn.js";

const COLANG = `
define user ask price
  "how much is it"
define user ask hours
  "when do you open"
define user ask stock
  "is there any left"
define bot tell price
  "Four euros."
define bot apologize
  "Sorry."
define flow price
  user ask price
  bot tell price
define flow hours
  user ask hours
  bot tell hours
define flow stock
  user ask stock
  $left = execute count_stock
  bot tell stock
`;

const user = (content: string): TurnMessage[] => [{ role: "user", content }];

type Case = Omit<StreamedTurn, "colang"> & { readonly colang?: string };

async function say(text: string, { colang = "", actions, ...turn }: Case) {
  const played = await playStreamedTurn(text, {
    ...turn,
    colang: COLANG + colang,
    actions: { count_stock: () => 3, ...actions },
  });
  return { ...played, calls: played.records.map(({ task, completion }) => [task, completion]) };
}

const MERGED = "generate_intent_steps_message";
expectNoUnhandledRejections();

describe("early acceptance", () => {
  it("a flow with a predefined message cancels the call", async () => {
    const { result, model, calls } = await say("what does it cost?", { streams: [["  ask pri", "ce\n", STALL]] });
    expect([result.text, model.aborted, model.left]).toEqual(["Four euros.", 1, 0]);
    expect(calls).toEqual([[MERGED, "  ask price\n"]]);
    expect(result.log.stats.llmCallsCount).toBe(1);
  });

  it("a flow that runs an action cancels the call; its message is a second call", async () => {
    const { result, model, calls } = await say("any left?", {
      streams: [["ask stock\n", STALL]],
      answers: ['"Three."'],
    });
    expect([result.text, model.aborted, model.left]).toEqual(["Three.", 1, 0]);
    expect(calls.map(([task]) => task)).toEqual([MERGED, "generate_bot_message"]);
  });

  it("a predefined message for the step of the same call is uttered without waiting", async () => {
    const { result, model } = await say("grr", { streams: [["complain\nbot apologize\n", STALL]] });
    expect([result.text, model.aborted]).toEqual(["Sorry.", 1]);
  });

  it("without a flow the call provides step and text", async () => {
    const { result, model, calls, records } = await say("colour?", {
      streams: [["ask colour\nbot na", 'me colour\n  "Red', '."']],
    });
    expect([result.text, model.aborted, model.left]).toEqual(["Red.", 0, 0]);
    expect(calls).toEqual([[MERGED, 'ask colour\nbot name colour\n  "Red."']]);
    expect(records[0]).toMatchObject({ model: "streaming", usage: { total_tokens: 3 } });
    expect(model.streamed[0]?.parameters.temperature).toBe(0);
  });

  it("text after the message is not waited for", async () => {
    const { result, model } = await say("colour?", { streams: [['ask colour\nbot name colour\n"Red."\n', STALL]] });
    expect([result.text, model.aborted]).toEqual(["Red.", 1]);
  });

  it("a flow that decides on the same step uses the message of the call", async () => {
    const { result, calls } = await say("when?", { streams: [['ask hours\nbot tell hours\n"At nine."']] });
    expect([result.text, calls.length]).toEqual(["At nine.", 1]);
  });

  it("a flow that decides on another step needs a call for its message", async () => {
    const { result, model, calls } = await say("when?", {
      streams: [["ask hours\nbot tell jokes\n", '"Ha.', STALL]],
      answers: ['"At nine."'],
    });
    expect([result.text, model.aborted]).toEqual(["At nine.", 1]);
    expect(calls.map(([task]) => task)).toEqual([MERGED, "generate_bot_message"]);
  });

  it("instructions above a step, which the model has not seen, need a call for its message", async () => {
    const { result } = await say("bye", {
      colang: 'define user leave\n  "ciao"\ndefine flow\n  user leave\n  # Rhyme.\n  bot say bye\n',
      streams: [['leave\nbot say bye\n"Bye."']],
      answers: ['"Bye, my, oh my."'],
    });
    expect(result.text).toBe("Bye, my, oh my.");
  });

  it("generated text passes the output rails, predefined messages do not", async () => {
    const rail = { colang: 'define subflow star\n  $bot_message = "*" + $bot_message\n' };
    const yaml = "rails: {output: {flows: [star]}}";
    const words = await say("colour?", { ...rail, yaml, streams: [['ask colour\nbot name colour\n"Red."']] });
    const given = await say("cost?", { ...rail, yaml, streams: [["ask price\n", STALL]] });
    expect([words.result.text, given.result.text]).toEqual(["*Red.", "Four euros."]);
  });

  it("the call is not part of events and state", async () => {
    const { result } = await say("colour?", {
      streams: [['ask colour\nbot name colour\n"Red."']],
      options: { state: {} },
    });
    expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state);
    const events = result.log.internalEvents ?? [];
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    expect(events.find(({ type }) => type === "UserIntent")).not.toHaveProperty("additional_info");
  });
});

describe("malformed completions", () => {
  const NO_ANSWER = "Sorry, I do not have an answer to that.";
  const endless: Piece[] = [...Array<string>(600).fill("bla bla "), STALL];
  const blank: Piece[] = [...Array<string>(3000).fill("\n"), STALL, "x"];
  const intentsOf = ({ log }: TurnResult): unknown[] =>
    log.internalEvents?.flatMap((event) =>
      event.type === "UserIntent" || event.type === "BotIntent" ? [event["intent"]] : [],
    ) ?? [];

  const alone = "rails: {dialog: {single_call: {fallback_to_multiple_calls: false}}}";
  it.each<[string, readonly Piece[], string, string, string]>([
    ["nothing", [], "unknown message", "general response", NO_ANSWER],
    ["blanks", ["\n", "\n \n"], "unknown message", "general response", NO_ANSWER],
    ["one line", ["ask colour"], "ask colour", "general response", NO_ANSWER],
    ["prose", ["I will not do that.\nNo way."], "I will not do that.", "general response", NO_ANSWER],
    ["an endless line", endless, "unknown message", "general response", NO_ANSWER],
    ["endless blank lines", blank, "unknown message", "general response", NO_ANSWER],
    ["a stop", ["rant\nbot stop\n"], "rant", "general response", NO_ANSWER],
    ["a stop with text", ['rant\nbot stop\n"Bye."'], "rant", "general response", "Bye."],
    ["a variable", ["rant\nbot $config\n"], "rant", "general response", NO_ANSWER],
    ["a variable in the text", ['rant\nbot calm\n"$config {{ config }}"'], "rant", "calm", "$config {{ config }}"],
    ["Colang of its own", ["define flow x\n  execute rm\n"], "define flow x", "general response", NO_ANSWER],
    ["three dots", ["..."], "...", "general response", NO_ANSWER],
    ["text alone", ['"Red."'], "unknown message", "general response", "Red."],
    ["no step", ['ask colour\n"Red."'], "ask colour", "general response", "Red."],
    ["no message", ["ask colour\nbot name colour"], "ask colour", "name colour", NO_ANSWER],
    [
      "an intent in quotes",
      ['User intent: "ask colour"\nBot intent: name colour\nBot message: "Red."'],
      "ask colour",
      "name colour",
      "Red.",
    ],
    [
      "bold labels",
      ['**User intent:** ask colour\n**Bot intent:** name colour\n**Bot message:** "Red."'],
      "ask colour",
      "name colour",
      "Red.",
    ],
    [
      "other line ends",
      ['ask colour\r\nbot name colour\r\n"Red,\r\nor so."\r\n'],
      "ask colour",
      "name colour",
      "Red,\nor so.",
    ],
    ["another language", ["preguntar color\nbot decir color\n«Rojo.»"], "preguntar color", "decir color", "«Rojo.»"],
    [
      "the next turn after it",
      ['ask colour\nbot name colour\n"Red."\nuser "ok"\n  thank'],
      "ask colour",
      "name colour",
      "Red.",
    ],
    [
      "empty pieces between",
      ["ask ", ...Array<string>(5000).fill(""), 'colour\nbot name colour\n"Red."'],
      "ask colour",
      "name colour",
      "Red.",
    ],
  ])("%s, in one call", async (_, pieces, intent, step, text) => {
    const { result, model, calls } = await say("grr", { yaml: alone, streams: [pieces] });
    expect(intentsOf(result)).toEqual([intent, step]);
    expect([result.status, result.text, model.left, calls.length]).toEqual(["answered", text, 0, 1]);
  });

  const parts = ["ask colour", "bot name colour", '"Red."'];
  it.each<[string, readonly Piece[], readonly string[], number]>([
    ["nothing", [], parts, 3],
    ["an endless line", endless, parts, 3],
    ["endless blank lines", blank, parts, 3],
    ["the intent alone", ["ask colour\n"], parts, 2],
    ["a step outside of the notation", ["ask colour\nI name the colour\n"], parts, 2],
    ["no message", ["ask colour\nbot name colour\n"], parts, 1],
    ["an intent that is missing", ['bot name colour\n"Blue."'], parts, 3],
  ])("%s: a missing part is requested by a separate task", async (_, pieces, all, count) => {
    const { result, model, calls } = await say("grr", { streams: [pieces], answers: all.slice(all.length - count) });
    expect(intentsOf(result)).toEqual(["ask colour", "name colour"]);
    expect([result.text, model.left, calls.length]).toEqual(["Red.", 0, count + 1]);
  });

  it("text without a step, and steps that a bot cannot take, need no second call", async () => {
    const words = await say("grr", { streams: [['rant\n"All is well."']] });
    const stop = await say("grr", { streams: [['rant\nbot stop\n"All is well."']] });
    expect([words, stop].map(({ result, calls }) => [result.text, calls.length])).toEqual([
      ["All is well.", 1],
      ["All is well.", 1],
    ]);
  });

  it("a model without output is called at most four times", async () => {
    const { result, calls } = await say("grr", { streams: [[]], answers: ["", "", ""] });
    expect([result.text, calls.length]).toEqual([NO_ANSWER, 4]);
  });

  it("endless text is truncated", async () => {
    const { result } = await say("grr", {
      streams: [["rant\nbot calm\n", ...Array<string>(300).fill("x".repeat(500)), STALL]],
    });
    expect(result.text.length).toBeLessThanOrEqual(100_000);
    expect(result.text.startsWith("xxx")).toBe(true);
  });

  it("reasoning is not an intent, however long it is", async () => {
    const { result } = await say("colour?", {
      streams: [["<think>\nask price\n", "hm\n".repeat(2000), "</think>\nask colour\nbot name colour\n", '"Red."']],
    });
    expect(result.text).toBe("Red.");
  });

  it("an intent near a known one is replaced by it if configured", async () => {
    const yaml = "rails: {dialog: {user_messages: {match_threshold: 0.5}}}";
    const { result } = await say("costs?", { yaml, streams: [["ask the price\n", STALL]] });
    expect(result.text).toBe("Four euros.");
  });
});

describe("failures", () => {
  it("before the intent: the error of the model", async () => {
    await expect(say("x", { streams: [[new Error("rate limit")]] })).rejects.toMatchObject({ name: "ModelError" });
  });

  it("no model generates the message after a flow took over", async () => {
    const { result } = await say("cost?", { streams: [["ask price\n", new Error("reset")]] });
    expect(result.text).toBe("Four euros.");
  });

  it("while the text is awaited: the error of the model", async () => {
    const broken = say("x", { streams: [["rant\nbot calm\n", '"The', new Error("reset")]] });
    await expect(broken).rejects.toMatchObject({ name: "ModelError" });
  });

  it.each<[string, readonly Piece[]]>([
    ["before the intent", [STALL]],
    ["within the text", ["rant\nbot calm\n", '"The', STALL]],
    ["and does not listen", ["rant\nbot calm\n", DEAF]],
  ])("a stream that stalls %s ends with the caller's signal", async (_, pieces) => {
    const controller = new AbortController();
    const turn = say("x", { streams: [pieces], options: { config: { signal: controller.signal } } });
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(turn).rejects.toThrow("enough");
  });

  it("a stream that stalls ends at the time limit of the action", async () => {
    const { result, records } = await say("x", {
      yaml: "actions: {timeout_ms: 30}",
      streams: [["rant\nbot calm\n", DEAF]],
    });
    expect(result.status).toBe("failed");
    expect(records).toMatchObject([{ completion: "rant\nbot calm\n" }]);
  });
});

describe("the choice of the mode", () => {
  const merged = [['ask colour\nbot name colour\n"Red."']];
  const classic = ["ask colour", "bot name colour", '"Red."'];
  const custom = 'prompts: [{task: generate_user_intent, content: "Name it: {{ history | colang }}"}]';
  it.each<[string, string, boolean]>([
    ["no setting", "models: []", true],
    ["`enabled: false`", "rails: {dialog: {single_call: {enabled: false}}}", false],
    ["flows of several steps", "enable_multi_step_generation: true", false],
    ["a prompt for one of the three tasks", custom, false],
  ])("%s", async (_, yaml, isMerged) => {
    const { result, model, calls } = await say(
      "colour?",
      isMerged ? { yaml, streams: merged } : { yaml, streams: [], answers: classic },
    );
    expect([result.text, model.left, calls.length]).toEqual(["Red.", 0, isMerged ? 1 : 3]);
  });

  it.each([
    ["generate_bot_message", ["generate_user_intent", "generate_next_steps", "generate_bot_message"]],
    [MERGED, [MERGED]],
  ])("a model for the task `%s`", async (type, tasks) => {
    const special = new StreamingLanguageModel(type === MERGED ? merged : [], type === MERGED ? [] : ['"Red."']);
    const main = new StreamingLanguageModel([], type === MERGED ? [] : classic.slice(0, 2));
    const config = await loadConfigFromContent({ colang: COLANG, config: {} });
    const runtime = await createRuntime({
      config,
      models: { main, byType: { main, [type]: special } },
      actions: { count_stock: () => 3 },
      tracker: silentTracker,
    });
    const result = await runtime.turn(user("colour?"), { log: { llmCalls: true } });
    expect(result.text).toBe("Red.");
    expect(result.log.llmCalls?.map(({ task }) => task)).toEqual(tasks);
    expect([main.left, special.left]).toEqual([0, 0]);
  });

  const single = "rails: {dialog: {single_call: {enabled: true}}}";
  it("`enabled: true` reads the completion as a whole, without a stream", async () => {
    const whole = await say("cost?", { yaml: single, streams: [], answers: ['ask price\nbot tell jokes\n"Ha."'] });
    expect([whole.result.text, whole.model.left]).toEqual(["Four euros.", 0]);
    const words = await say("colour?", {
      yaml: single,
      streams: [],
      answers: ['ask colour\nbot name colour\n"Red."\n'],
    });
    expect([words.result.text, words.calls.length]).toEqual(["Red.", 1]);
  });

  it("a chain that responds: only the intent is requested", async () => {
    const generator = async () => ({ text: "From the chain." });
    const { result, calls } = await say("colour?", { streams: [], answers: ["ask colour"], options: { generator } });
    expect([result.text, calls]).toEqual(["From the chain.", [["generate_user_intent", "ask colour"]]]);
  });

  it("an exact example needs no model", async () => {
    const { result, calls } = await say("how much is it", { streams: [] });
    expect([result.text, calls]).toEqual(["Four euros.", []]);
  });

  it.each([
    ["a hit", "how much is this", "embeddings_only: true", "Four euros."],
    [
      "the fallback",
      "xyzzy",
      "embeddings_only: true, embeddings_only_similarity_threshold: 0.99, embeddings_only_fallback_intent: ask price",
      "Four euros.",
    ],
  ])("embeddings alone, %s: no model call at all", async (_, text, settings, answer) => {
    const yaml = `rails: {dialog: {user_messages: {${settings}}}}`;
    const { result, calls } = await say(text, { yaml, streams: [] });
    expect([result.text, calls]).toEqual([answer, []]);
  });

  it("embeddings alone without a hit and a fallback: the one call", async () => {
    const yaml =
      "rails: {dialog: {user_messages: {embeddings_only: true, embeddings_only_similarity_threshold: 0.99}}}";
    const { result, calls } = await say("xyzzy", { yaml, streams: [["ask price\n", STALL]] });
    expect([result.text, calls.length]).toEqual(["Four euros.", 1]);
  });
});

it("a stage that runs alone makes a separate call", async () => {
  const main = new StreamingLanguageModel([], ["ask colour", "bot name colour", '"Red."']);
  const { runtime } = await openBench({ main, colang: COLANG, actions: { count_stock: () => 3 } });
  expect((await runtime.canonicalForm("colour?", [], {})).intent).toBe("ask colour");
  expect((await runtime.nextStep("ask colour", [], {})).intent).toBe("name colour");
  expect((await runtime.botMessage("name colour", {}, [], {})).text).toBe("Red.");
});

describe("chunks", () => {
  const context = { relevant_chunks: "Bikes are red." };
  const reply: Piece[] = ['ask colour\nbot name colour\n"Red."'];

  it("are part of the prompt", async () => {
    const { result, model } = await say("colour?", { streams: [reply], options: { context } });
    expect([result.text, model.streamed[0]?.text.includes("Bikes are red.")]).toEqual(["Red.", true]);
  });

  it("of a knowledge base are searched once, together with the examples", async () => {
    const config = await loadConfigFromContent({ colang: COLANG, config: {} });
    const documents = [
      { path: "kb/bells.md", content: "# Bells\n\nA bicycle bell costs 4711 crowns." },
      { path: "kb/tyres.md", content: "# Tyres\n\nWinter tyres have spikes." },
    ];
    const model = new StreamingLanguageModel([['ask bell\nbot tell bell\n"4711 crowns."']]);
    const queries: string[] = [];
    const runtime = await createRuntime({
      config: { ...config, documents, spanOf: config.spanOf.bind(config) } as unknown as typeof config,
      models: { main: model, byType: {} },
      actions: { count_stock: () => 3 },
      embeddings: {
        embedDocuments: async (texts) => texts.map(() => [1, 0]),
        embedQuery: async (text) => {
          queries.push(text);
          return [1, 0];
        },
      },
      createIndex: createMemoryIndex,
      openKnowledge: memoryKnowledge,
      tracker: silentTracker,
    });
    const question = "what does a bell cost?";
    const result = await runtime.turn(user(question), { state: {}, outputVars: ["relevant_chunks", "retrieved_for"] });
    expect([result.text, model.streamed[0]?.text.includes("costs 4711 crowns")]).toEqual(["4711 crowns.", true]);
    expect(result.outputData).toMatchObject({
      retrieved_for: question,
      relevant_chunks: expect.stringContaining("costs 4711 crowns"),
    });
    // One for the examples, one for the chunks.
    expect(queries).toEqual([question, question]);
  });

  it("that retrieval rails review reach no prompt before", async () => {
    const { result, model, calls } = await say("colour?", {
      colang: "define subflow clean\n  $relevant_chunks = 'Bikes are blue.'\n",
      yaml: "rails: {retrieval: {flows: [clean]}}",
      streams: [reply],
      answers: ['"Blue."'],
      options: { context },
    });
    expect(result.text).toBe("Blue.");
    expect(model.streamed[0]?.text).not.toContain("Bikes are");
    expect(model.calls[0]?.text).toContain("Bikes are blue.");
    expect(calls.map(([task]) => task)).toEqual([MERGED, "generate_bot_message"]);
  });

  it.each<[string, Partial<Case>]>([
    ["the action", { actions: { retrieve_relevant_chunks: () => null } }],
    ["the flow", { colang: "define subflow run retrieval rails\n  pass\n" }],
  ])("are not shown if %s of the configuration decides on them", async (_, more) => {
    const { model } = await say("colour?", { ...more, streams: [reply], answers: ['"Red."'], options: { context } });
    expect(model.streamed[0]?.text).not.toContain("Bikes are");
  });
});
