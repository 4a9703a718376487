import { describe, expect, it } from "@jest/globals";
import { ModelError } from "../../../../src/diagnostics/errors.js";
import { generateUserIntent } from "../../../../src/runtime/colang1/generation/user-intent.js";
import { type BenchOptions, openBench } from "./bench.js";

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

describe("who decides", () => {
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

  it("takes a new intent for the nearest known one where the settings ask for it", async () => {
    const config = { rails: { dialog: { user_messages: { match_threshold: 0.5 } } } };
    const { found } = await intentOf("hm", { config, llm: ["ask the price"] });
    expect(found).toMatchObject({ intent: "ask price", score: expect.any(Number), source: "llm" });
    const { found: far } = await intentOf("hm", { config, llm: ["zzz qqq"] });
    expect(far).toMatchObject({ intent: "zzz qqq", score: null });
  });

  it("lets a failed call leave", async () => {
    await expect(intentOf("hm", { llm: [new Error("rate limit")] })).rejects.toThrow(ModelError);
  });
});
