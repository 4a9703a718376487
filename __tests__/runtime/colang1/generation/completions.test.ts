import { describe, expect, it } from "@jest/globals";
import { ModelError } from "../../../../src/diagnostics/errors.js";
import { generateUserIntent } from "../../../../src/runtime/colang1/generation/user-intent.js";
import { type BenchOptions, openBench } from "./bench.js";
import { generateNextStep } from "../../../../src/runtime/colang1/generation/next-step.js";
import { generateBotMessage } from "../../../../src/runtime/colang1/generation/bot-message.js";
import type { GeneratorRequest } from "../../../../src/turn/response.js";

const COLANG = `
define user ask price
  "how much is a tube"
  "price of a tube"
define user ask hours
  "when do you open"
  "both"
define user say hello
  "both"
`;

async function intentOf(text: string, options: BenchOptions) {
  const bench = await openBench({ colang: COLANG, ...options });
  const found = await generateUserIntent(
    { text, events: [{ type: "UserMessage", text }], context: {} },
    bench.services,
  );
  return { bench, found };
}

describe("a user intent in a completion", () => {
  it.each<[string, string, string]>([
    ["a bare intent", "ask price", "ask price"],
    ["with the speaker before it", "user ask price", "ask price"],
    ["indented", "  ask price", "ask price"],
    ["as the prompt for chat models asks for it", "User intent: ask price", "ask price"],
    ["an empty completion", "", "unknown message"],
    ["blank lines only", "\n  \n", "unknown message"],
    ["several lines", "ask price\nbot tell price", "ask price"],
    ["blank lines first", "\n\n  ask price", "ask price"],
    ["a quote after the intent", 'ask price "how much is it"', "ask price"],
    ["the utterance repeated above the intent", 'user "what is it"\n  ask price', "ask price"],
    ["a line without end", "bla ".repeat(500), "unknown message"],
    ["line ends of another system", "ask price\r\nbot tell price\r\n", "ask price"],
    ["another language", "preguntar precio", "preguntar precio"],
    ["Colang of its own", "define flow x\n  execute rm", "define flow x"],
    ["a quote and nothing else", '"', "unknown message"],
    ["an undefined intent", "ask about tubes", "ask about tubes"],
    ["blanks inside", "ask   about\ttubes", "ask about tubes"],
    ["an intent beginning with the letters of `user`", "username question", "username question"],
  ])("%s", async (_, completion, intent) => {
    const { found } = await intentOf("what is it", { llm: [completion] });
    expect(found).toMatchObject({ intent, score: null, source: "llm" });
  });
});

describe("the source of an intent", () => {
  it("the text itself, when it is an example of one intent", async () => {
    const { found } = await intentOf(" price of a tube ", { llm: [] });
    expect(found).toEqual({ intent: "ask price", score: 1, alternatives: [], source: "embeddings" });
  });

  it("the model, when the text is an example of two intents", async () => {
    const { found } = await intentOf("both", { llm: ["say hello"] });
    expect(found).toMatchObject({ intent: "say hello", source: "llm" });
  });

  it("the model, shown the nearest examples with the best one last", async () => {
    const { bench, found } = await intentOf("how much is one tube", { llm: ["ask price"] });
    const [call] = bench.model.calls;
    expect(call?.text.indexOf('user "how much is a tube"\n  ask price')).toBeGreaterThan(
      call?.text.indexOf('user "when do you open"\n  ask hours') ?? Infinity,
    );
    expect(call?.text.trimEnd().endsWith('user "how much is one tube"')).toBe(true);
    expect(call?.parameters.temperature).toBe(bench.services.settings.lowest_temperature);
    expect(found.alternatives.map(({ intent }) => intent)).toEqual(["ask hours", "say hello"]);
    expect(bench.records).toMatchObject([{ task: "generate_user_intent", completion: "ask price" }]);
  });

  const embeddings = (more: Record<string, unknown>) => ({
    rails: { dialog: { user_messages: { embeddings_only: true, ...more } } },
  });

  it.each<[string, string, BenchOptions, string]>([
    ["embeddings", "how much for a tube", { config: embeddings({}), llm: [] }, "ask price"],
    [
      "the nearest example, however far it is, without a threshold",
      "do tubes have prices",
      { config: embeddings({}), llm: [] },
      "ask price",
    ],
    ["embeddings when there is no model", "how much for a tube", {}, "ask price"],
    [
      "the fallback below the threshold",
      "xyzzy",
      {
        config: embeddings({
          embeddings_only_similarity_threshold: 0.99,
          embeddings_only_fallback_intent: "other",
        }),
        llm: [],
      },
      "other",
    ],
    [
      "the model below the threshold, when there is no fallback",
      "xyzzy",
      { config: embeddings({ embeddings_only_similarity_threshold: 0.99 }), llm: ["cast spell"] },
      "cast spell",
    ],
    [
      "nothing, without a hit and without a model",
      "xyzzy",
      { config: embeddings({ embeddings_only_similarity_threshold: 0.99 }) },
      "unknown message",
    ],
  ])("%s", async (_, text, options, intent) => {
    const { found, bench } = await intentOf(text, options);
    expect(found.intent).toBe(intent);
    expect(bench.model.unsaid).toBe(0);
  });

  it("replaces a new intent by the nearest known one if configured", async () => {
    const config = { rails: { dialog: { user_messages: { match_threshold: 0.5 } } } };
    const { found } = await intentOf("hm", { config, llm: ["ask the price"] });
    expect(found).toMatchObject({ intent: "ask price", score: expect.any(Number), source: "llm" });
    const { found: far } = await intentOf("hm", { config, llm: ["zzz qqq"] });
    expect(far).toMatchObject({ intent: "zzz qqq", score: null });
  });

  it("rethrows the error of a failed call", async () => {
    await expect(intentOf("hm", { llm: [new Error("rate limit")] })).rejects.toThrow(ModelError);
  });
});

describe("the next step", () => {
  const COLANG = `
define user say hello
  "hello"
define bot hi
  "Hi."
define flow greet
  user say hello
  bot hi
define flow ask price
  user ask price
  bot give price
`;

  async function stepAfter(intent: string, options: BenchOptions) {
    const bench = await openBench({ colang: COLANG, ...options });
    const events = [
      { type: "UserMessage", text: "x" },
      { type: "UserIntent", intent },
    ];
    return { bench, step: await generateNextStep({ intent, events, context: {} }, bench.services) };
  }

  describe("one step", () => {
    it.each<[string, string, string]>([
      ["a bot line", "bot give price", "give price"],
      ["as the prompt for chat models asks for it", "Bot intent: give price", "give price"],
      ["blank lines before it", "\n\n bot give price\nuser thanks", "give price"],
      ["text after a quote", 'bot give price "10 euros"', "give price"],
      ["text after a comma", 'bot explain tubes, then wave "x"', "explain tubes"],
      ["prose", "I would rather not", "general response"],
      ["a bot line that is not the first", "Sure:\nbot give price", "general response"],
      ["nothing", "", "general response"],
      ["a bot line without an intent", 'bot "hello"', "general response"],
      ["`bot` alone", "bot ", "general response"],
      ["a line without end", `bot ${"bla ".repeat(500)}`, "general response"],
      ["several lines", "bot give price\nbot hi", "give price"],
      ["three dots", "...", "general response"],
      ["an attempt to end the turn", "bot stop", "general response"],
      ["an attempt to print a variable", "bot $api_key", "general response"],
      ["an action", "execute delete_everything", "general response"],
    ])("%s", async (_, completion, intent) => {
      const { step } = await stepAfter("ask price", { llm: [completion] });
      expect(step).toEqual({ kind: "intent", intent, source: "llm" });
    });

    it("is shown the nearest flows, each once and the best one last", async () => {
      const { bench } = await stepAfter("ask price", { llm: ["bot give price"] });
      const [call] = bench.model.calls;
      expect(call?.text).toContain("user say hello\nbot hi\n\nuser ask price\nbot give price");
      expect(call?.parameters.temperature).toBe(bench.services.settings.lowest_temperature);
    });

    it("is the general response if a wrapped chain responds", async () => {
      const generator = async () => ({ text: "from the chain" });
      const { step } = await stepAfter("ask price", { llm: [], call: { generator } });
      expect(step).toEqual({ kind: "intent", intent: "general response", source: "generator" });
    });

    it("needs a model", async () => {
      await expect(stepAfter("ask price", {})).rejects.toMatchObject({
        code: "CF-119",
        message: expect.stringContaining("no main model for the task `generate_next_steps`: add an entry"),
      });
    });
  });

  describe("a flow of several steps", () => {
    it.each<[string, string, string | undefined]>([
      ["two steps", "bot hi\nbot which day", "bot hi\nbot which day"],
      ["its own header", "define flow tour\n  bot hi\n  user pick day", "bot hi\nuser pick day"],
      ["a bad tail", "bot hi\nthen we wave", "bot hi"],
      ["an action that is not allowed", "bot hi\nexecute delete_everything", "bot hi"],
      ["prose", "We should greet.", undefined],
      ["nothing", "", undefined],
      ["an attempt to skip output rails", "$skip_output_rails = True\nbot hi", undefined],
    ])("%s", async (_, completion, body) => {
      const { step } = await stepAfter("ask tour", {
        llm: [completion],
        config: { enable_multi_step_generation: true },
      });
      expect(step).toEqual(
        body === undefined
          ? { kind: "intent", intent: "general response", source: "llm" }
          : { kind: "flow", flowId: "flow-1", body, source: "llm" },
      );
    });
  });
});

describe("the bot message", () => {
  const COLANG = `
define user say hello
  "hello"
define bot hi
  "Hi $name."
  "Hello."
define bot door
  "{% if vip %}Come in{% else %}Queue{% endif %}, {{ 2 + 1 }} left."
define bot two lines
  "one\\\\ntwo"
`;

  interface Step {
    readonly intent: string;
    readonly [property: string]: unknown;
  }

  async function say(step: Step, options: BenchOptions & { variables?: Record<string, unknown> } = {}) {
    const bench = await openBench({ colang: COLANG, ...options });
    const event = { type: "BotIntent", ...step };
    const events = [
      { type: "UtteranceUserActionFinished", final_transcript: "original" },
      { type: "UserMessage", text: "question" },
      { type: "UserIntent", intent: "ask" },
      event,
    ];
    const context = { name: "Ada", vip: true, count: 42, none: null, list: ["a", true], ...options.variables };
    return { bench, message: await generateBotMessage({ step: event, events, context }, bench.services) };
  }

  describe("without a model", () => {
    it.each<[string, Step, string, "predefined" | "variable"]>([
      ["the variant that is picked", { intent: "hi" }, "Hi Ada.", "predefined"],
      ["a template", { intent: "door" }, "Come in, 3 left.", "predefined"],
      ["a text in the flow", { intent: "say", text: "Mind $name." }, "Mind Ada.", "predefined"],
      ["a text in the flow before a message of the same name", { intent: "hi", text: "Now." }, "Now.", "predefined"],
      ["a value", { intent: "$count", value: 42 }, "42", "variable"],
      ["a value that is false", { intent: "$off", value: false }, "False", "variable"],
      ["a list", { intent: "$list", value: ["a", true] }, '["a",true]', "variable"],
      ["a variable that an action requested", { intent: "$count" }, "42", "variable"],
      [
        "a variable's text is not rendered",
        { intent: "$x", value: "{{ 1 + 1 }} $name" },
        "{{ 1 + 1 }} $name",
        "variable",
      ],
    ])("%s", async (_, step, text, source) => {
      const { message } = await say(step, { llm: [] });
      expect(message).toMatchObject({ text, source });
      expect(message.contextUpdates).toEqual(source === "predefined" ? { skip_output_rails: true } : {});
    });

    it.each<[string, Step]>([
      ["a value that is null", { intent: "$none", value: null }],
      ["a variable that is null", { intent: "$none" }],
      ["an undefined variable", { intent: "$missing" }],
      ["an inherited property", { intent: "$constructor" }],
    ])("has no message for %s (CO-401)", async (_, step) => {
      await expect(say(step, { llm: [] })).rejects.toMatchObject({ code: "CO-401" });
    });

    it("reports undefined variables (CO-408)", async () => {
      const warnings: unknown[] = [];
      await say(
        { intent: "hi" },
        { variables: { name: undefined }, call: { warn: (warning) => warnings.push(warning) } },
      );
      expect(warnings).toEqual([{ code: "CO-408", message: "the message `hi` reads `$name`, which is undefined" }]);
    });
  });

  describe("a bot message in a completion", () => {
    it.each<[string, string, string]>([
      ["quotes", '  "Oil it weekly."', "Oil it weekly."],
      ["no closing quote", '"Oil it', "Oil it"],
      ["no quotes", "Oil it.", "Oil it."],
      ["a turn of the user after it", '"Oil it."\nuser "thanks"\n  thank', "Oil it."],
      ["a turn of the user after bare text", "Oil it.\nuser ask more", "Oil it."],
      ["several lines", '"Oil it:\n\n  - weekly"\n', "Oil it:\n\n  - weekly"],
      ["written line breaks", '"one\\ntwo"', "one\ntwo"],
      ["nothing", "", "I'm not sure what to say."],
      ["an empty text", '""', "I'm not sure what to say."],
    ])("%s", async (_, completion, text) => {
      const config = { messages: { no_answer: "I'm not sure what to say." } };
      const { message } = await say({ intent: "give advice" }, { llm: [completion], config });
      expect(message).toMatchObject({ text, source: "llm" });
    });

    it("calls the model with the nearest messages, the instructions and the parameters of the call", async () => {
      const { bench, message } = await say(
        { intent: "hi there", instructions: "Be brief." },
        { llm: ['"Hi."'], call: { llmParams: { temperature: 0.9 } } },
      );
      const [call] = bench.model.calls;
      expect(call?.text).toContain('bot hi\n  "Hi $name."');
      expect(call?.text).toContain("# Be brief.\nbot hi there");
      expect(call?.parameters.extra).toEqual({ temperature: 0.9 });
      expect(message.contextUpdates).toEqual({ _last_bot_prompt: call?.text });
    });

    it("needs a model", async () => {
      await expect(say({ intent: "give advice" })).rejects.toMatchObject({ code: "CF-119" });
    });
  });

  describe("a wrapped chain", () => {
    it("responds with the rewritten text if no flow defines a message", async () => {
      const requests: GeneratorRequest[] = [];
      const generator = async (request: GeneratorRequest) => {
        requests.push(request);
        return { text: "From the chain.", relevantChunks: ["a", "b"] };
      };
      const { message } = await say({ intent: "general response" }, { call: { generator, llmParams: { seed: 1 } } });
      expect(message).toEqual({
        text: "From the chain.",
        source: "generator",
        contextUpdates: {
          relevant_chunks: "a\nb",
          relevant_chunks_sep: ["a", "b"],
          relevant_chunks_sources: [
            { file: "", title: "" },
            { file: "", title: "" },
          ],
          _own_evidence: true,
        },
      });
      expect(requests).toMatchObject([{ userMessage: "question", rewritten: true, llmParams: { seed: 1 } }]);
    });

    it("does not change predefined messages", async () => {
      const generator = async () => ({ text: "From the chain." });
      const { message } = await say({ intent: "hi" }, { call: { generator } });
      expect(message.source).toBe("predefined");
    });

    it("without a text is replaced by the fixed text", async () => {
      const { message } = await say({ intent: "x" }, { call: { generator: async () => ({ text: " " }) } });
      expect(message.text).not.toBe(" ");
    });
  });

  describe("passthrough", () => {
    it("sends the user's text unchanged", async () => {
      const { bench, message } = await say({ intent: "x" }, { llm: [" Answer. "], config: { passthrough: true } });
      expect(message).toMatchObject({ text: "Answer.", source: "llm" });
      expect(bench.model.calls.map(({ text }) => text)).toEqual(["question"]);
      expect(bench.records).toMatchObject([{ task: "passthrough", prompt: "question", completion: " Answer. " }]);
    });
  });
});
