import { describe, expect, it } from "@jest/globals";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { createMemoryIndex } from "../../src/langchain/retrieval/vector-index.js";
import { createRuntime } from "../../src/runtime/create/create-runtime.js";
import type { TurnMessage } from "../../src/turn/options.js";
import { silentTracker } from "../../src/turn/run-tracker.js";
import { gate, openBench } from "./bench.js";
import {
  DEAF,
  type Piece,
  STALL,
  StreamingLanguageModel,
} from "../support/language-models/streaming-language-model.js";
import { playStreamedTurn, type StreamedTurn } from "./streamed-turn.js";

const COLANG = `
define user ask colour
  "which colour"
define user ask price
  "how much is it"
define user ask weight
  "how heavy is it"
define bot apologize
  "Sorry."
define bot give price
  "Four euros."
define flow price
  user ask price
  bot give price
define flow weight
  user ask weight
  bot tell weight
`;

const user = (content: string): TurnMessage[] => [{ role: "user", content }];
const STEPS = "generate_steps_message";
const MERGED = "generate_intent_steps_message";

async function say(
  text: string,
  { colang = "", ...turn }: Omit<StreamedTurn, "colang"> & { readonly colang?: string },
) {
  const played = await playStreamedTurn(text, { ...turn, colang: COLANG + colang });
  return { ...played, tasks: played.records.map(({ task }) => task) };
}

/** Waits for everything that needs no outside event. */
async function settled(): Promise<void> {
  const turns = Array.from({ length: 50 }, () => () => new Promise((resolve) => setImmediate(resolve)));
  for (const next of turns) await next();
}

describe("an intent that is known without a model", () => {
  it("and without a flow for it takes one call for step and message", async () => {
    const { result, model, tasks } = await say("which colour", { streams: [["bot give colour\n", '"Red', '."\n']] });
    expect([result.text, tasks, model.left, model.aborted]).toEqual(["Red.", [STEPS], 0, 0]);
    expect(model.streamed[0]?.text).toContain("ask colour");
    expect(model.streamed[0]?.text).toContain('Bot intent: give price\nBot message: "Four euros."');
    expect(model.streamed[0]?.parameters.temperature).toBe(0);
    expect(result.log.llmCalls?.[0]).not.toHaveProperty("isUsageEstimated");
  });

  it.each<[string, string, string]>([
    ["embeddings", "which colour is it", "embeddings_only: true"],
    [
      "a fallback",
      "xyzzy",
      "embeddings_only: true, embeddings_only_similarity_threshold: 0.99, embeddings_only_fallback_intent: ask colour",
    ],
  ])("found by %s takes one call for step and message", async (_, text, settings) => {
    const yaml = `rails: {dialog: {user_messages: {${settings}}}}`;
    const { result, tasks } = await say(text, { yaml, streams: [['bot give colour\n"Red."']] });
    expect([result.text, tasks]).toEqual(["Red.", [STEPS]]);
  });

  it("given by an event takes one call for step and message", async () => {
    const model = new StreamingLanguageModel([['bot give colour\n"Red."']]);
    const { runtime } = await openBench({ main: model, colang: COLANG });
    const event = { type: "UserIntent", intent: "ask colour" };
    const result = await runtime.turn([{ role: "event", event }], { log: { llmCalls: true } });
    expect([result.text, result.log.llmCalls?.length]).toEqual(["Red.", 1]);
  });

  it("a step with a predefined message cancels the call", async () => {
    const { result, model, tasks } = await say("which colour", { streams: [["bot apologize\n", STALL]] });
    expect([result.text, tasks, model.aborted]).toEqual(["Sorry.", [STEPS], 1]);
  });

  it("a flow that needs a message uses the one call", async () => {
    const { result, tasks } = await say("how heavy is it", { streams: [], answers: ['"Two kilos."'] });
    expect([result.text, tasks]).toEqual(["Two kilos.", ["generate_bot_message"]]);
  });

  it("a completion that repeats the intent is accepted", async () => {
    const { result } = await say("which colour", {
      streams: [['User intent: ask colour\nBot intent: give colour\nBot message: "Red."']],
    });
    expect(result.text).toBe("Red.");
  });

  it("is read as a whole if configured", async () => {
    const yaml = "rails: {dialog: {single_call: {enabled: true}}}";
    const { result, tasks } = await say("which colour", { yaml, streams: [], answers: ['bot give colour\n"Red."'] });
    expect([result.text, tasks]).toEqual(["Red.", [STEPS]]);
  });

  it.each<[string, string]>([
    ["`enabled: false`", "rails: {dialog: {single_call: {enabled: false}}}"],
    ["a prompt for one of the tasks", 'prompts: [{task: generate_next_steps, content: "{{ history | colang }}"}]'],
    ["flows of several steps", "enable_multi_step_generation: true"],
  ])("takes two calls with %s", async (_, yaml) => {
    const { result, tasks } = await say("which colour", { yaml, streams: [], answers: ["bot give colour", '"Red."'] });
    expect([result.text, tasks]).toEqual(["Red.", ["generate_next_steps", "generate_bot_message"]]);
  });

  const alone = "rails: {dialog: {single_call: {fallback_to_multiple_calls: false}}}";
  const NO_ANSWER = "Sorry, I do not have an answer to that.";
  it.each<[string, readonly Piece[], string]>([
    ["nothing", [], NO_ANSWER],
    ["prose", ["It is red.\nReally."], NO_ANSWER],
    ["text alone", ['"Red."'], "Red."],
    ["a stop", ["bot stop\n"], NO_ANSWER],
    ["no text", ["bot give colour"], NO_ANSWER],
  ])("%s, in one call", async (_, pieces, text) => {
    const { result, tasks } = await say("which colour", { yaml: alone, streams: [pieces] });
    expect([result.text, tasks]).toEqual([text, [STEPS]]);
  });

  it.each<[string, readonly Piece[], readonly string[]]>([
    ["nothing", [], ["bot give colour", '"Red."']],
    ["no text", ["bot give colour"], ['"Red."']],
  ])("%s: a missing part is requested by a separate task", async (_, pieces, answers) => {
    const { result, model, tasks } = await say("which colour", { streams: [pieces], answers });
    expect([result.text, model.left, tasks.length]).toEqual(["Red.", 0, answers.length + 1]);
  });

  it.each([STEPS, MERGED])("the model for the task `%s` makes the call", async (type) => {
    const special = new StreamingLanguageModel([['bot give colour\n"Red."']]);
    const main = new StreamingLanguageModel([]);
    const runtime = await createRuntime({
      config: await loadConfigFromContent({ colang: COLANG, config: {} }),
      models: { main, byType: { main, [type]: special } },
      tracker: silentTracker,
    });
    expect((await runtime.turn(user("which colour"), {})).text).toBe("Red.");
    expect(special.left).toBe(0);
  });
});

describe("parameters of the caller", () => {
  const full = ['ask shape\nbot tell shape\n"Round. END And flat."'];

  it("limit, seed and stop apply to the one call", async () => {
    const options = { llmParams: { max_tokens: 20, seed: 7, stop: [" END"] }, log: { llmCalls: true } };
    const { result, model, tasks } = await say("shape?", { streams: [full], options });
    expect([result.text, tasks]).toEqual(["Round.", [MERGED]]);
    expect(model.streamed[0]?.parameters).toMatchObject({ temperature: 0, maxTokens: 84, extra: { seed: 7 } });
  });

  it("a temperature applies to the message, which is a separate call", async () => {
    const options = { llmParams: { temperature: 0.9 }, log: { llmCalls: true } };
    const { result, model, tasks, records } = await say("shape?", {
      streams: [["ask shape\nbot tell shape\n", '"Rou', STALL]],
      answers: ['"Round."'],
      options,
    });
    expect([result.text, tasks, model.aborted]).toEqual(["Round.", [MERGED, "generate_bot_message"], 1]);
    expect(records[0]?.completion).not.toContain("Round");
  });

  it("a temperature and a known intent: step and message by separate tasks", async () => {
    const options = { llmParams: { temperature: 0.9 }, log: { llmCalls: true } };
    const { tasks } = await say("which colour", { streams: [], answers: ["bot give colour", '"Red."'], options });
    expect(tasks).toEqual(["generate_next_steps", "generate_bot_message"]);
  });
});

describe("the raw output", () => {
  it("of a cancelled call is the text received until then", async () => {
    const { result, model } = await say("what does it cost?", {
      streams: [["ask pri", "ce\n", STALL]],
      options: { llmOutput: true },
    });
    expect([result.text, model.aborted]).toEqual(["Four euros.", 1]);
    expect(result.llmOutput).toMatchObject({ text: "ask price\n" });
  });

  it("of a later call replaces it", async () => {
    const { result } = await say("heavy?", {
      streams: [["ask weight\nbot tell jokes\n", '"Ha.', STALL]],
      answers: ['"Two kilos."'],
      options: { llmOutput: true },
    });
    expect(result.llmOutput).toMatchObject({ text: '"Two kilos."' });
  });
});

describe("turns at the same time", () => {
  it("make one call each, and a cancelled one does not affect the others", async () => {
    const model = new StreamingLanguageModel([
      ["ask price\n", STALL],
      ['rant\nbot calm\n"All is well."'],
      ["ask price\n", new Error("reset")],
    ]);
    const { runtime } = await openBench({ main: model, colang: COLANG });
    const turns = ["costs?", "grr", "costs, please?"].map((text) => runtime.turn(user(text), {}));
    expect((await Promise.all(turns)).map(({ text }) => text)).toEqual(["Four euros.", "All is well.", "Four euros."]);
    expect(model.aborted).toBe(1);
  });

  it("abort separately", async () => {
    const model = new StreamingLanguageModel([["rant\n", STALL], ['rant\nbot calm\n"All is well."']]);
    const { runtime } = await openBench({ main: model, colang: COLANG });
    const controller = new AbortController();
    const first = runtime.turn(user("grr"), { config: { signal: controller.signal } });
    const second = runtime.turn(user("hm"), {});
    expect((await second).text).toBe("All is well.");
    controller.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
  });
});

describe("a turn after its time limit", () => {
  it("begins no second call for parts that the first one lacks", async () => {
    const model = new StreamingLanguageModel([[DEAF]], ["ask price"]);
    const { runtime } = await openBench({ main: model, colang: COLANG, yaml: "actions: {timeout_ms: 400}" });
    const result = await runtime.turn(user("costs?"), {});
    await new Promise((resolve) => setImmediate(resolve));
    expect([result.status, model.left]).toEqual(["failed", 1]);
  });

  it("begins no call if the search for examples returns late", async () => {
    const late = gate();
    let isBack = false;
    const model = new StreamingLanguageModel([["ask price\n"]]);
    const { runtime } = await openBench({
      main: model,
      colang: COLANG,
      yaml: "actions: {timeout_ms: 400}",
      embeddings: { embedDocuments: async (texts) => texts.map(() => [1, 0]), embedQuery: async () => [1, 0] },
      hasDialogStore: true,
      createIndex: (options) => {
        const index = createMemoryIndex(options);
        const search: typeof index.search = async (...query) => {
          await late.promise;
          isBack = true;
          return index.search(...query);
        };
        return { addItems: (items) => index.addItems(items), search };
      },
    });
    expect((await runtime.turn(user("costs?"), {})).status).toBe("failed");
    late.open(undefined);
    await settled();
    expect([isBack, model.streamed]).toEqual([true, []]);
  });
});
